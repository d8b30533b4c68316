/**
 * Sends requests from the page to its own service. The token stays in this variable: not in storage, in a field or in a
 * URL; it disappears with the page.
 */
let token: string | null = null

/** The most characters of a response that are shown. */
const MOST_SHOWN = 100_000

const find = <Part extends Element>(within: ParentNode, selector: string, type: new () => Part): Part => {
  const part = within.querySelector(selector)
  if (!(part instanceof type)) throw new Error(`the page has no ${selector}`)
  return part
}

/** The filled fields of a form, by their place in the request. */
const filledIn = (form: HTMLFormElement, place: string): readonly (readonly [name: string, value: string])[] =>
  [...form.elements].flatMap((field) => {
    const isField =
      field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement
    return isField && field.dataset['in'] === place && field.value !== '' ? [[field.name, field.value] as const] : []
  })

const useToken = (next: string | null): void => {
  token = next
  const area = find(document, '#token-area', HTMLElement)
  find(area, '#token-state', HTMLElement).textContent =
    next === null
      ? 'No token: requests are sent without one.'
      : `Requests are sent with the token that ends in ${next.slice(-6)}.`
  find(area, '#forget', HTMLButtonElement).hidden = next === null
  for (const state of document.querySelectorAll('.with-token'))
    state.textContent = next === null ? 'Sent without a token.' : 'Sent with your token.'
}

/** The request that a form describes. */
const requestOf = (form: HTMLFormElement, stop: AbortSignal): Request => {
  const { method = 'GET', path = '/' } = form.dataset
  let filled = path
  for (const [name, value] of filledIn(form, 'path')) filled = filled.replace(`{${name}}`, encodeURIComponent(value))
  const url = new URL(filled, location.origin)
  for (const [name, value] of filledIn(form, 'query')) {
    const values = form.dataset['lists']?.split(' ').includes(name) === true ? value.split(',') : [value]
    for (const each of values) url.searchParams.append(name, each.trim())
  }
  const headers = new Headers(filledIn(form, 'header').map(([name, value]): [string, string] => [name, value]))
  if (token !== null) headers.set('Authorization', `Bearer ${token}`)
  const [json] = filledIn(form, 'json')
  const fields = filledIn(form, 'form')
  if (json !== undefined) headers.set('Content-Type', 'application/json')
  const body = json?.[1] ?? (fields.length > 0 ? new URLSearchParams(fields.map(([...pair]) => pair)) : null)
  return new Request(url, {
    method,
    headers,
    signal: stop,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'manual',
    ...(method !== 'GET' && body !== null && { body }),
  })
}

const indented = (json: string): string => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** Shows a body while it arrives: a stream may have no end. */
const showBody = async (response: Response, target: HTMLElement): Promise<void> => {
  const type = response.headers.get('Content-Type') ?? ''
  if (response.body === null) return
  if (!/^text\/|json|xml|csv/.test(type)) {
    target.textContent = `${(await response.arrayBuffer()).byteLength} bytes of ${type}`
    return
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value
    target.textContent = text
    if (text.length > MOST_SHOWN) {
      target.textContent = `${text.slice(0, MOST_SHOWN)}\n… and more`
      await reader.cancel()
      return
    }
  }
  if (/[/+]json/.test(type)) target.textContent = indented(text)
}

const send = async (form: HTMLFormElement, stop: AbortSignal): Promise<void> => {
  const answer = find(form, '.answer', HTMLElement)
  const status = find(answer, '.status', HTMLElement)
  const headers = find(answer, '.headers', HTMLElement)
  const body = find(answer, '.body', HTMLElement)
  answer.hidden = false
  status.textContent = 'Waiting for the response.'
  headers.textContent = ''
  body.textContent = ''
  let fault = 'No response'
  try {
    const response = await fetch(requestOf(form, stop))
    if (response.type === 'opaqueredirect') {
      status.textContent = 'A redirect. Scripts in a browser cannot see where it leads; curl -i shows it.'
      return
    }
    status.textContent = `${response.status} ${response.statusText}`
    fault = `${status.textContent}, but the response broke off`
    headers.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    await showBody(response, body)
  } catch (error) {
    if (!stop.aborted) status.textContent = `${fault}: ${error instanceof Error ? error.message : String(error)}`
  }
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.send')) {
  let running: AbortController | null = null
  const stopButton = find(form, '.stop', HTMLButtonElement)
  stopButton.addEventListener('click', () => {
    running?.abort()
    find(form, '.status', HTMLElement).textContent += ' Stopped.'
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    running?.abort()
    const mine = new AbortController()
    running = mine
    stopButton.hidden = false
    await send(form, mine.signal)
    if (running === mine) stopButton.hidden = true
  })
}

/** Signs in with the password grant; only the access token is kept. */
const signIn = async (form: HTMLFormElement): Promise<string> => {
  const response = await fetch(form.dataset['path'] ?? '', {
    method: 'POST',
    body: new URLSearchParams([['grant_type', 'password'], ...filledIn(form, 'form').map(([...pair]) => pair)]),
    credentials: 'omit',
    cache: 'no-store',
  })
  const said: unknown = await response.json()
  if (typeof said !== 'object' || said === null) throw new Error('the response is not readable')
  if ('access_token' in said && typeof said.access_token === 'string') return said.access_token
  throw new Error('title' in said ? String(said.title) : `status ${response.status}`)
}

const keepForm = document.querySelector<HTMLFormElement>('#keep-token')
keepForm?.addEventListener('submit', (event) => {
  event.preventDefault()
  const [[, value] = ['', '']] = filledIn(keepForm, 'token')
  if (value.trim() !== '') useToken(value.trim())
  keepForm.reset()
})
const signInForm = document.querySelector<HTMLFormElement>('#sign-in')
signInForm?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const state = find(document, '#token-state', HTMLElement)
  try {
    useToken(await signIn(signInForm))
    signInForm.reset()
  } catch (error) {
    state.textContent = `Not signed in: ${error instanceof Error ? error.message : String(error)}.`
  }
})
document.querySelector('#forget')?.addEventListener('click', () => useToken(null))
useToken(null)
for (const part of document.querySelectorAll<HTMLElement>('.scripted')) part.hidden = false
