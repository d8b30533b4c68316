import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { t } from '../language/language'
import type { Texts } from '../language/texts'
import { hearBack } from './before-router'
import { Confirm } from './confirm'

/** The link of the console that a click follows in this tab, to another page; null for other clicks. */
const followed = (event: MouseEvent): HTMLAnchorElement | null => {
  const { target, button, ctrlKey, metaKey, altKey, shiftKey } = event
  if (button !== 0 || ctrlKey || metaKey || altKey || shiftKey || !(target instanceof Element)) return null
  const link = target.closest('a')
  if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin)
    return null
  return /^\/console(\/|$)/.test(link.pathname) && link.pathname !== location.pathname ? link : null
}

/** Asks the user of the open form, if it has unsaved changes; null while no form is open. */
let askInForm: ((goOn: () => unknown) => void) | null = null

/** Runs what would lose the unsaved changes of a form: at once if there are none, else when the user discards them. */
export const askUnsaved = (goOn: () => unknown): void => {
  if (askInForm === null) goOn()
  else askInForm(goOn)
}

/**
 * Asks before what was typed is lost: by a link of the console, by the browser's Back, by closing or reloading the
 * page, where the browser asks, and by `askUnsaved`. `onDiscard` closes the form. Render the question that it returns.
 * `words`: where something else than a form would be lost.
 */
export const useUnsaved = (
  isUnsaved: () => boolean,
  onDiscard: () => unknown,
  words: Texts['unsaved'] = t.unsaved,
): JSX.Element | null => {
  const { url, route } = useLocation()
  const goOn = useSignal<(() => unknown) | null>(null)
  const latest = useRef({ isUnsaved, url })
  latest.current = { isUnsaved, url }
  const holds = () => latest.current.isUnsaved()

  useEffect(() => {
    const click = (event: MouseEvent) => {
      const link = followed(event)
      if (link === null || !holds()) return
      event.preventDefault()
      event.stopImmediatePropagation()
      goOn.value = () => route(link.pathname + link.search)
    }
    const pop = (event: Event) => {
      const { url: here } = latest.current
      if (location.pathname === new URL(here, location.origin).pathname || !holds()) return
      // the browser has gone already: the router does not hear of it, and this page gets its place back
      event.stopImmediatePropagation()
      history.pushState(null, '', here)
      goOn.value = () => history.back()
    }
    const leave = (event: Event) => {
      if (holds()) event.preventDefault()
    }
    const ask = (then: () => unknown) => {
      if (holds()) goOn.value = then
      else then()
    }
    askInForm = ask
    // before the router
    addEventListener('click', click, true)
    const endPop = hearBack(pop)
    addEventListener('beforeunload', leave)
    return () => {
      // the next form may be there already
      if (askInForm === ask) askInForm = null
      removeEventListener('click', click, true)
      endPop()
      removeEventListener('beforeunload', leave)
    }
  }, [])

  const { value: next } = goOn
  const stay = () => (goOn.value = null)
  return (
    next && (
      <Confirm
        title={words.ask}
        lead={words.lead}
        yes={words.discard}
        no={words.stay}
        onYes={() => {
          stay()
          onDiscard()
          next()
        }}
        onNo={stay}
      />
    )
  )
}
