import { startTestService, type TestService, type TestUser, type TestServiceOptions } from './service.js'

export interface Callers {
  readonly service: TestService
  readonly admin: TestUser
  readonly editor: TestUser
  readonly other: TestUser
  readonly viewer: TestUser
}

/** A service with an admin, an editor, another editor and a viewer. */
export const startWithCallers = async (options: TestServiceOptions = {}): Promise<Callers> => {
  const service = await startTestService(options)
  return {
    service,
    admin: await service.addUser('admin'),
    editor: await service.addUser('editor'),
    other: await service.addUser('editor'),
    viewer: await service.addUser('viewer'),
  }
}
