import { useLocation, useRoute } from 'preact-iso/router'

import { api } from '../../api'
import { t } from '../../language/language'
import { LoadingPage } from '../../parts/loading-page'
import { useLoaded } from '../../parts/loaded'
import { isManaged } from '../../parts/is-managed'
import { ManagedLinkPage } from './managed-link-page'
import { PublicLinkPage } from './public-link-page'

/** One link: all of it for users who may change it; for others, what visitors can see. */
export const LinkPage = () => {
  const code = useRoute().params['name'] ?? ''
  const { route } = useLocation()
  const loaded = useLoaded((signal) => api.getLink(code, { signal }), [code])
  const { value: link, problem, again, put } = loaded
  if (link !== null && isManaged(link) && problem === null)
    return (
      <ManagedLinkPage
        key={link.id}
        link={link}
        onGiven={again}
        onChange={(changed) => {
          // after a rename, the page has a new URL
          if (put(changed) && changed.code !== code) route(`/console/links/${changed.code}${location.search}`, true)
        }}
      />
    )
  if (link !== null && problem === null) return <PublicLinkPage key={link.code} link={link} onGiven={again} />
  return <LoadingPage title={code} of={loaded} back={{ href: '/console', words: t.notFound.back }} />
}
