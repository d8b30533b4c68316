import { z } from 'zod'

const LONGEST = 2_048
/** printable ASCII without the backslash, which browsers read as a slash and other programs do not */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/

const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** One name for one host: `example.com.` is `example.com`. */
const hostOf = ({ host }: URL): string => host.replace(/\.(?=:|$)/, '')

/**
 * A link's target: an absolute http or https URL without credentials, at most 2,048 characters, and not on this
 * service's own host (a link that leads to a link leads in circles, and would lend our name to what hides behind it).
 * Text beyond ASCII is kept in its percent-encoded form; everything else exactly as given.
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
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      if (/[\u0000-\u0020\u007f\\]/.test(text)) return refuse('must not hold spaces, control characters or backslashes')
      const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null
      if (url === null) return refuse('must be an absolute http or https URL')
      if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
        return refuse('must not hold credentials')
      if (hostOf(url) === ownHost) return refuse('must not be on this service itself')
      const kept = PLAIN.test(text) ? text : url.href
      return kept.length > LONGEST ? refuse(`must be at most ${LONGEST} characters`) : kept
    })
    .meta({ format: 'uri' })
}
