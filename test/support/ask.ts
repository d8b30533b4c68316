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
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parseJson(text) }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
