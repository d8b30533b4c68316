/**
 * Another caller, in a process of its own: it creates 1,000 links in a request, one request after the other, until it
 * is stopped. Tells its parent when the first one is done. Arguments: the URL and the `Authorization` header.
 */
const [url = '', authorization = ''] = process.argv.slice(2)
const item = { target: 'https://example.com/bulk', tags: ['bulk'] }
const body = JSON.stringify({ operation: 'create', items: Array.from({ length: 1_000 }, () => item) })
const headers = { authorization, 'content-type': 'application/json' }

for (;;) {
  const answer = await fetch(`${url}/links/bulk`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`/links/bulk: ${answer.status}`)
  process.send?.('done')
}
