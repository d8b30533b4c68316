import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useId } from 'preact/hooks'

import { number } from '../language/format'
import { t } from '../language/language'
import { me } from '../me'
import { Button } from './button'
import { Icon, Mark, type IconName } from './icon'
import { leave } from './leave'
import { countOpenProposals, openProposals } from './policy/open-proposals'
import { loadServiceRights, may } from './service-rights'

const Item = ({
  href,
  icon,
  text,
  children,
}: {
  readonly href: string
  readonly icon: IconName
  readonly text: string
  readonly children?: ComponentChildren
}) => {
  const { path } = useLocation()
  const [place = ''] = href.split('?')
  const isHere = path === place || path.startsWith(place === '/console' ? '/console/links' : `${place}/`)
  return (
    <li>
      <a href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        {text}
        {children}
      </a>
    </li>
  )
}

/** The number of open proposals, reloaded with each page. */
const OpenProposals = ({ at }: { readonly at: string }) => {
  useEffect(() => {
    void countOpenProposals()
  }, [at])
  const { value: count } = openProposals
  if (count === 0) return null
  return (
    <span class="badge push">
      <span aria-hidden="true">{number(count)}</span>
      <span class="unseen">{t.nav.openProposals(count)}</span>
    </span>
  )
}

const Group = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const id = useId()
  return (
    <>
      <p class="group" id={id}>
        {title}
      </p>
      <ul aria-labelledby={id}>{children}</ul>
    </>
  )
}

/** The navigation; on a phone it is behind a button. */
export const Side = () => {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  useEffect(() => {
    isOpen.value = false
  }, [path])
  useEffect(() => {
    const ended = new AbortController()
    void loadServiceRights(ended.signal)
    return () => ended.abort()
  }, [path, me.value?.role])
  return (
    <header class={isOpen.value ? 'side open' : 'side'}>
      <a class="brand" href="/console">
        <Mark />
        Linkgate
      </a>
      <button
        type="button"
        class="button bare menu-button"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="menu" />
        {t.menu}
      </button>
      <nav aria-label={t.nav.label}>
        <ul>
          <Item href="/console" icon="link" text={t.nav.links} />
          <Item href="/console/visits" icon="chart" text={t.nav.visits} />
          <Item href="/console/import" icon="import" text={t.nav.import} />
          <Item href="/console/trash" icon="trash" text={t.nav.trash} />
          {(may('user:read') || may('user:invite')) && <Item href="/console/users" icon="people" text={t.nav.users} />}
          <Item href="/console/settings" icon="user" text={t.nav.settings} />
        </ul>
        {(may('policy:read') || may('audit:read')) && (
          <Group title={t.nav.rights}>
            {may('policy:read') && (
              <>
                <Item href="/console/access" icon="grid" text={t.nav.access} />
                <Item href="/console/policy" icon="edit" text={t.nav.policy} />
                <Item href="/console/revisions" icon="clock" text={t.nav.revisions} />
                <Item href="/console/proposals" icon="proposal" text={t.nav.proposals}>
                  <OpenProposals at={path} />
                </Item>
              </>
            )}
            {/* a user who may read only the log can explain requests */}
            <Item
              href={may('policy:read') ? '/console/explain' : '/console/explain?request='}
              icon="ladder"
              text={t.nav.explain}
            />
            {may('policy:read') && <Item href="/console/model" icon="text" text={t.nav.model} />}
          </Group>
        )}
        {may('audit:read') && (
          <Group title={t.nav.record}>
            <Item href="/console/decisions" icon="pulse" text={t.nav.decisions} />
            <Item href="/console/proof" icon="shield" text={t.nav.proof} />
          </Group>
        )}
      </nav>
      <div class="side-foot">
        {me.value && (
          <div>
            <strong>
              <bdi>{me.value.name}</bdi>
            </strong>
            {me.value.role}
          </div>
        )}
        <div class="row">
          <Button kind="bare" icon="out" onPress={leave}>
            {t.signOut}
          </Button>
        </div>
        <a href="/docs" target="_blank" rel="noopener">
          {t.docs}
        </a>
      </div>
    </header>
  )
}
