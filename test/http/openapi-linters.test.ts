import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import { oas } from '@stoplight/spectral-rulesets'
import { expect } from 'chai'

import { at } from '../support/json.js'
import { startTestService } from '../support/service.js'

/** What the linters say and we leave, each with its reason. */
const LEFT: readonly { readonly rule: string; readonly at: RegExp; readonly because: string }[] = [
  {
    rule: 'owasp:api2:2023-no-credentials-in-url',
    at: /^paths\.\/(invitations\/\{token\}|auth\/email\/confirm|auth\/password\/reset)/,
    because: 'a link in a mail is opened by a browser; it can be used once, and opening it alone changes nothing',
  },
  {
    rule: 'oas3-valid-media-example',
    at: /example.*tags/,
    because: 'JSON Schema has Unicode patterns (\\p{L}); the linter compiles them without',
  },
  {
    rule: 'owasp:api9:2023-inventory-environment',
    at: /^servers\.0\.description$/,
    because: 'an installation does not know whether it is somebody’s trial or production',
  },
  {
    rule: 'operation-2xx-response',
    at: /^#\/paths\/~1\{code\}\//,
    because: 'following a link succeeds with a redirect',
  },
]

interface Finding {
  readonly rule: string
  readonly at: string
  readonly message: string
}

const isLeft = ({ rule, at }: Finding): boolean => LEFT.some((each) => each.rule === rule && each.at.test(at))

describe('the linters of /openapi.json', () => {
  let text: string
  before(async () => {
    const service = await startTestService()
    text = (await service.request('GET', '/openapi.json')).text.replaceAll(service.baseUrl, 'https://lnk.example')
    await service.stop()
  })

  const bySpectral = async (text: string): Promise<readonly Finding[]> => {
    const spectral = new spectralCore.Spectral()
    // its types are those of another module system
    spectral.setRuleset(Object({ extends: [oas, owasp] }))
    const results = await spectral.run(JSON.parse(text))
    return results.map(({ code, path, message }) => ({ rule: String(code), at: path.join('.'), message }))
  }

  const byRedocly = async (text: string): Promise<readonly Finding[]> => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: text, config })
    return problems.map(({ ruleId, location, message }) => ({
      rule: ruleId,
      at: location[0]?.pointer ?? '',
      message,
    }))
  }

  it('find nothing but what is left for a reason, by the usual rules, by OWASP’s and by a second linter', async () => {
    const found = [...(await bySpectral(text)), ...(await byRedocly(text))]
    expect(found.filter((each) => !isLeft(each))).to.deep.equal([])
    // a reason that nothing needs any more
    expect(LEFT.filter(({ rule, at }) => !found.some((each) => each.rule === rule && at.test(each.at)))).to.deep.equal(
      [],
    )
  })

  it('find what is wrong', async () => {
    const { paths, ...rest } = Object(JSON.parse(text))
    const { operationId: _, ...post } = Object(at(paths, '/links', 'post'))
    const broken = JSON.stringify({ ...rest, paths: { '/links': { post } } })
    expect((await bySpectral(broken)).map(({ rule }) => rule)).to.include('operation-operationId')
    expect((await byRedocly(broken)).map(({ rule }) => rule)).to.include('operation-operationId')
  })
})
