export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** the body as JSON; undefined where it is none */
  readonly json: unknown
}

export interface RequestOptions {
  readonly token?: string | undefined
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** One request over HTTP; redirects are not followed. Rejects where no answer comes. */
export const ask = async (
  baseUrl: string,
  method: string,
  path: string,
  { token, json, headers, body }: RequestOptions = {},
): Promise<TestResponse> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
  })
  const text = response.ok && ENDLESS.test(path) ? await firstEvent(response) : await response.text()
  return { status: response.status, headers: response.headers, text, json: parseJson(text) }
}

/** Streams of events that end only with their reader. */
const ENDLESS = /^\/(?:policy|links\/[^/?]+\/visits)\/live(?!.*[?&]limit=\d)/

const firstEvent = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    // leaving the loop leaves the stream
    if (/^data: .*\n\n/m.test(text)) break
  }
  return text
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
