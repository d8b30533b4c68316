import { Refusal } from '../../domain/refusal.js'

// RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E ), joined by single spaces
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** The names in a `scope` value (RFC 6749 §3.3). An empty value has none. Null if the value is malformed. */
export const parseScope = (text: string): ReadonlySet<string> | null => {
  if (text === '') return new Set()
  return SCOPE.test(text) ? new Set(text.split(' ')) : null
}

/**
 * Refuses (403 `insufficient_scope`, RFC 6750 §3.1) a token without this scope. Names must match exactly: no case
 * folding, wildcards or prefixes.
 */
export const requireScope = (token: { readonly scopes: ReadonlySet<string> }, scope: string): void => {
  if (token.scopes.has(scope)) return
  throw new Refusal('insufficient_scope', {
    detail: `The token needs the scope ${scope}.`,
    headers: { 'WWW-Authenticate': `Bearer realm="linkgate", error="insufficient_scope", scope="${scope}"` },
  })
}
