import type { ComponentChildren } from 'preact'

import type { Visits } from '../../api'
import { t } from '../../language/language'
import { locale } from '../../language/format'
import { Breakdown } from './breakdown'

let countries: Intl.DisplayNames | undefined

/** The name of a country in the language of the console, or its code if it has none. */
const countryName = (code: string): string => {
  countries ??= new Intl.DisplayNames([locale], { type: 'region', fallback: 'code' })
  return /^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code
}

const deviceName = (device: string): string => {
  const names: Readonly<Record<string, string>> = t.visits.devices
  return names[device] ?? device
}

/** Where visits come from, and with what. `children`: a list before these. */
export const Breakdowns = ({ by, children }: { readonly by: Visits['by']; readonly children?: ComponentChildren }) => (
  <div class="breakdowns">
    {children}
    <Breakdown title={t.visits.by.referrer} counts={by.referrer} nameOf={(host) => host ?? t.visits.noReferrer} />
    <Breakdown
      title={t.visits.by.country}
      counts={by.country}
      nameOf={(code) => (code === null ? t.visits.notTold : countryName(code))}
      unknown={t.visits.noCountries}
    />
    <Breakdown title={t.visits.by.browser} counts={by.browser} nameOf={(name) => name ?? t.visits.notTold} />
    <Breakdown title={t.visits.by.os} counts={by.os} nameOf={(name) => name ?? t.visits.notTold} />
    <Breakdown
      title={t.visits.by.device}
      counts={by.device}
      nameOf={(device) => (device === null ? t.visits.notTold : deviceName(device))}
    />
  </div>
)
