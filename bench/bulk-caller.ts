/**
 * Another caller, in a process of its own: it sends the same bulk request again and again until it is stopped, and
 * tells its parent about each that is done. Arguments: the URL, the `Authorization` header and the body.
 */
const [url = '', authorization = '', body = ''] = process.argv.slice(2)
const headers = { authorization, 'content-type': 'application/json' }

for (;;) {
  const answer = await fetch(`${url}/links/bulk`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`/links/bulk: ${answer.status}`)
  process.send?.('done')
}
