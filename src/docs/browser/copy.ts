/** Adds a button to each block of code that copies its text. */
for (const block of document.querySelectorAll('.code')) {
  const code = block.querySelector('code')
  if (code === null) continue
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  block.append(button)
  button.addEventListener('click', async () => {
    const said = await copy(code)
    button.textContent = said
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
}

/** Copies the text, or selects it if the browser does not allow copying: that needs https or this machine. */
const copy = async (code: Element): Promise<string> => {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    return 'Copied'
  } catch {
    getSelection()?.selectAllChildren(code)
    return 'Selected'
  }
}
