import { networkOf } from '../domain/network.js'
import type { SignInRequest } from '../identity/sign-in.js'
import type { HandlerInput } from '../layers/route.js'

type Input = Pick<HandlerInput<unknown, unknown, unknown, object, unknown>, 'caller' | 'requestId' | 'deadline'>

/** The part of a request that the identity layer gets; of the caller's address, only the network. */
export const requestOf = ({ caller, requestId, deadline }: Input): SignInRequest => ({
  id: requestId,
  network: networkOf(caller.address),
  deadline,
})
