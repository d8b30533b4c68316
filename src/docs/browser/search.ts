/** Filters the operations while the user types: all words must occur in an operation's text. */
const form = document.querySelector('search')
const field = document.querySelector<HTMLInputElement>('#search')
const count = document.querySelector('#found')
const operations = [...document.querySelectorAll<HTMLElement>('[data-words]')].map((article) => ({
  article,
  words: (article.dataset['words'] ?? '').toLowerCase(),
  entry: document.querySelector(`nav a[href="#${article.id}"]`)?.parentElement ?? null,
}))

const filter = (): void => {
  const asked = (field?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const { article, words, entry } of operations) {
    const isFound = asked.every((word) => words.includes(word))
    if (isFound) found += 1
    article.hidden = !isFound
    if (entry !== null) entry.hidden = !isFound
  }
  for (const group of document.querySelectorAll<HTMLElement>('[data-group]'))
    group.hidden = group.querySelector('[data-words]:not([hidden]), nav li:not([hidden])') === null
  // the text above the operations would only hide the results
  for (const part of document.querySelectorAll<HTMLElement>('[data-about]')) part.hidden = asked.length > 0
  if (count !== null) count.textContent = asked.length === 0 ? '' : `${found} of ${operations.length} operations`
}

if (form !== null && field !== null) {
  form.hidden = false
  field.addEventListener('input', filter)
  document.addEventListener('keydown', (event) => {
    const { target } = event
    const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      field.closest('details')?.setAttribute('open', '')
      field.focus()
    }
    if (event.key === 'Escape' && target === field) {
      field.value = ''
      filter()
    }
  })
  // a link to a hidden part shows everything again; unlike `hashchange`, also if the URL names that part already
  addEventListener('popstate', () => {
    const named = document.getElementById(location.hash.slice(1))
    if (named?.closest('[hidden]') == null) return
    field.value = ''
    filter()
    named.scrollIntoView()
  })
  // a browser may restore the text typed before a reload
  filter()
}
