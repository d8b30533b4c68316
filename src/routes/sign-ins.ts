import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { MOST_SIGN_INS, type SignIns } from '../layers/4-data/sign-ins.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { CHANGING_PROFILE, READING_PROFILE } from './shared-layers.js'
import { SignInId, SignInsView } from './sign-in-schemas.js'

/** GET and DELETE /users/me/sign-ins. */
export const signInRoutes = ({ signIns }: { readonly signIns: DataRule<SignIns> }): readonly Route[] => [
  route({
    ...READING_PROFILE,
    path: '/users/me/sign-ins',
    data: signIns,
    handle: async ({ store }) => ({ status: 200, body: { data: await store.list() } }),
    documentation: {
      id: 'listSignIns',
      summary: 'List sign-ins',
      description: `Where the caller is signed in, the last ${MOST_SIGN_INS} at most.`,
      tag: 'profile',
      response: SignInsView,
    },
  }),
  route({
    ...CHANGING_PROFILE,
    method: 'delete',
    path: '/users/me/sign-ins/:id',
    status: 204,
    data: signIns,
    params: z.object({ id: SignInId }),
    handle: async ({ store, params: { id } }) => {
      if (!(await store.end(id))) throw new Refusal('not_found')
      return { status: 204 }
    },
    documentation: {
      id: 'endSignIn',
      summary: 'End a sign-in',
      description: 'Its access tokens end as well, at once and on every node.',
      tag: 'profile',
    },
  }),
]
