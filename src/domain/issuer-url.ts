import { parseUrl } from './parse-url.js'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** True for a URL that signing keys may be fetched from: plain http is only safe on this machine. */
export const isLoopbackOrHttps = (text: string): boolean => {
  const url = parseUrl(text)
  if (url === null) return false
  const { protocol, hostname, username, password } = url
  return (
    (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === ''
  )
}
