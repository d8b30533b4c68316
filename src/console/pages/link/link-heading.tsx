import { t } from '../../language/language'

/** The place of the link: under Links, and at this host. */
export const LinkHeading = ({ url }: { readonly url: string }) => {
  const { host, pathname } = new URL(url)
  return (
    <>
      <a class="crumb" href="/console">
        {t.nav.links}
      </a>
      <span class="crumb" aria-hidden="true">
        {' › '}
      </span>
      <span class="host">{host}/</span>
      {pathname.slice(1)}
    </>
  )
}
