/**
 * Words that are, or may become, the first path segment of the service's own URLs. They cannot be codes, in any case.
 * test/routes/reserved-codes.test.ts compares this list with the route table.
 */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'access account admin api assets audit auth bulk console docs export favicon health healthz help ' +
    'index invitations link linkgate links login logout me metrics new null oauth openapi policy readyz ' +
    'robots security signin signup static status tags token tokens undefined user users visits well-known www'
  ).split(' '),
)

export const isReservedCode = (code: string): boolean => RESERVED.has(code.toLowerCase())
