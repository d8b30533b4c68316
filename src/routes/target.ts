import { z } from 'zod'

const LONGEST = 2_048
/** printable ASCII without the backslash, which only browsers read as a slash */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/

/** `example.com.` is the same host as `example.com`. */
const hostOf = ({ host }: URL): string => host.replace(/\.(?=:|$)/, '')

/**
 * A link's target: an absolute http or https URL without credentials, at most 2,048 characters, and not on this service
 * itself (links to links could form loops, and would lend our name to what they hide). Text beyond ASCII is stored
 * percent-encoded, everything else exactly as given.
 */
export const targetRule = (baseUrl: string) => {
  const ownHost = hostOf(new URL(baseUrl))
  return z
    .string()
    .max(LONGEST, `must be at most ${LONGEST} characters`)
    .transform((text, context) => {
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      // eslint-disable-next-line no-control-regex -- control characters are what it looks for
      if (/[\u0000-\u0020\u007f\\]/.test(text))
        return refuse('must not contain spaces, control characters or backslashes')
      if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return refuse('must be an absolute http or https URL')
      const url = new URL(text)
      if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
        return refuse('must not contain credentials')
      if (hostOf(url) === ownHost) return refuse('must not be on this service itself')
      const kept = PLAIN.test(text) ? text : url.href
      return kept.length > LONGEST ? refuse(`must be at most ${LONGEST} characters`) : kept
    })
    .meta({ format: 'uri' })
}
