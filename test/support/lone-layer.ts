import type { User } from '../../src/domain/user.js'
import type { Layers } from '../../src/layers/layers.js'
import { openData, openEndpoint, openGateway, openObject } from './open-layers.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from './service.js'

export interface LoneLayer {
  readonly service: TestService
  readonly admin: TestUser
  readonly editor: TestUser
  readonly viewer: TestUser
  readonly stranger: TestUser
  /** sends a request as a user whom an open gateway believes */
  as(user: User | null, method: string, path: string, json?: unknown): Promise<TestResponse>
}

/** A service in which one layer is the service's own and the other three check nothing. */
export const startLoneLayer = async (
  layer: 'gateway' | 'endpoint' | 'object' | 'data',
  environment: Readonly<Record<string, string>> = {},
): Promise<LoneLayer> => {
  const users = new Map<string, User>()
  const open = { gateway: openGateway(users), endpoint: openEndpoint, object: openObject, data: openData }
  const composeLayers = (layers: Layers): Layers => ({ ...layers, ...open, [layer]: layers[layer] })
  const service = await startTestService({ environment, composeLayers })
  const add = async (role: string) => {
    const user = await service.addUser(role)
    users.set(user.id, user)
    return user
  }
  return {
    service,
    admin: await add('admin'),
    editor: await add('editor'),
    viewer: await add('viewer'),
    stranger: await add('editor'),
    as: (user, method, path, json) =>
      service.request(method, path, {
        ...(json === undefined ? {} : { json }),
        headers: user === null ? {} : { 'X-Caller': user.id },
      }),
  }
}
