import type { CountryResponse } from 'maxmind'

import { StartError } from '../domain/start-error.js'
import type { Visitor } from '../domain/visitor.js'

/** The country of a visitor as two letters (ISO 3166-1); null where nobody knows. */
export type CountryOf = (visitor: Visitor) => string | null

export interface CountrySources {
  /** an mmdb file with countries (GEOIP_DATABASE) */
  readonly file: string | undefined
  /** the header of a trusted proxy, in lower case (COUNTRY_HEADER); it wins */
  readonly header: string | undefined
}

const COUNTRY = /^[A-Z]{2}$/
/** What proxies say where they do not know, and of Tor. */
const NO_COUNTRY = new Set(['XX', 'T1', 'ZZ'])

const countryIn = (text: string | undefined): string | null => {
  const country = text?.toUpperCase() ?? ''
  return COUNTRY.test(country) && !NO_COUNTRY.has(country) ? country : null
}

/** Reads the file into memory. Throws StartError where it is not there, or no mmdb file. */
export const openCountries = async ({ file, header }: CountrySources): Promise<CountryOf> => {
  if (header !== undefined) return (visitor) => countryIn(visitor.header(header))
  if (file === undefined) return () => null
  const { open } = await import('maxmind')
  const reader = await open<CountryResponse>(file).catch((error: unknown) => {
    throw new StartError(`GEOIP_DATABASE: ${file} cannot be read as an mmdb file`, { cause: error })
  })
  return ({ address }) => {
    try {
      return countryIn(reader.get(address)?.country?.iso_code)
    } catch {
      // an address that the file cannot hold, such as IPv6 in a file of IPv4
      return null
    }
  }
}
