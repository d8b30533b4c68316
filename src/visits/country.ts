import type { CountryResponse } from 'maxmind'

import { StartError } from '../domain/start-error.js'

export interface Countries {
  /** the header with the country, in lower case; undefined: not set */
  readonly header: string | undefined
  /** Two letters (ISO 3166-1), from the address or from the header's value `said`; null if unknown. */
  readonly of: (address: string, said: string | undefined) => string | null
}

interface CountrySources {
  /** an mmdb file with countries (GEOIP_DATABASE) */
  readonly file: string | undefined
  /** the header of a trusted proxy, in lower case (COUNTRY_HEADER), instead of the file */
  readonly header: string | undefined
}

const COUNTRY = /^[A-Z]{2}$/
/** What proxies send for an unknown country, or for Tor. */
const NO_COUNTRY = new Set(['XX', 'T1', 'ZZ'])

const countryIn = (text: string | undefined): string | null => {
  const country = text?.toUpperCase() ?? ''
  return COUNTRY.test(country) && !NO_COUNTRY.has(country) ? country : null
}

/** The type of an mmdb file that has no countries, such as GeoLite2-ASN or DBIP-ISP; not DBIP-Location-ISP. */
const OTHER_KIND = /^\w+-(?:ASN|ISP|Domain|Connection-Type|Anonymous)/

/** Reads the file into memory. Throws StartError if it is missing, not an mmdb file, or one without countries. */
export const openCountries = async ({ file, header }: CountrySources): Promise<Countries> => {
  if (header !== undefined) return { header, of: (_, said) => countryIn(said) }
  if (file === undefined) return { header, of: () => null }
  const { open } = await import('maxmind')
  const reader = await open<CountryResponse>(file).catch((error: unknown) => {
    throw new StartError(`GEOIP_DATABASE: ${file} cannot be read as an mmdb file`, { cause: error })
  })
  const { databaseType } = reader.metadata
  if (OTHER_KIND.test(databaseType))
    throw new StartError(`GEOIP_DATABASE: ${file} is a file of ${databaseType}, which has no countries`)
  const of = (address: string): string | null => {
    try {
      return countryIn(reader.get(address)?.country?.iso_code)
    } catch {
      // an address that the file cannot contain, such as IPv6 in an IPv4 database
      return null
    }
  }
  return { header, of }
}
