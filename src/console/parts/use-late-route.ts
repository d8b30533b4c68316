import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'

/**
 * `route` for the time after a request: it does nothing once the component is gone, so that a late response does not
 * take the user back from the page to which they went meanwhile.
 */
export const useLateRoute = (): ((url: string, replace?: boolean) => void) => {
  const { route } = useLocation()
  const isGone = useRef(false)
  useEffect(
    () => () => {
      isGone.current = true
    },
    [],
  )
  return (url, replace) => {
    if (!isGone.current) route(url, replace)
  }
}
