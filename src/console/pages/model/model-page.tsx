import { useMemo } from 'preact/hooks'

import { api } from '../../api'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { useLoaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { policyRowIn } from '../../parts/policy/row'
import { WhenLoaded } from '../../parts/when-loaded'
import { ExplainTabs } from '../explain/explain-tabs'
import { readModel, type Definition } from './model-text'
import { WalkCard } from './walk-card'

/** The rule language: each definition with an explanation, and the evaluation of a question. */
export const ModelPage = () => {
  const loaded = useLoaded(async (signal) => {
    const [text, { rows }] = await Promise.all([api.getPolicyModel({ signal }), api.getPolicy({}, { signal })])
    return { text, rows: rows.flatMap((row) => policyRowIn(row) ?? []) }
  }, [])
  const { value } = loaded
  const model = useMemo(() => readModel(value?.text ?? ''), [value])
  const valueOf = (key: string): string => model.definitions.find((each) => each.key === key)?.value ?? ''
  return (
    <Page title={t.nav.model}>
      <p class="lead">{t.model.lead}</p>
      <ExplainTabs here="model" />
      <WhenLoaded of={loaded}>
        {({ rows }) => (
          <>
            <Card title={t.model.text}>
              {model.head.length > 0 && <p class="body model-comment">{model.head.join('\n')}</p>}
              <dl class="model">
                {model.definitions.map((definition, i) => (
                  <Explained
                    key={definition.key}
                    definition={definition}
                    isFirst={definition.section !== model.definitions[i - 1]?.section}
                  />
                ))}
              </dl>
            </Card>
            <WalkCard matchers={{ object: valueOf('m'), endpoint: valueOf('m2') }} rows={rows} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

const Explained = ({
  definition: { section, key, value, comments },
  isFirst,
}: {
  readonly definition: Definition
  /** true for the first definition of its section */
  readonly isFirst: boolean
}) => {
  const explained: Readonly<Record<string, string>> = t.model.definitions
  return (
    <div>
      <dt>
        {isFirst && <code class="section">[{section}]</code>}
        {comments.length > 0 && <span class="model-comment">{comments.join('\n')}</span>}
        <code>
          <strong>{key}</strong> = {value}
        </code>
      </dt>
      <dd>{Object.hasOwn(explained, key) ? explained[key] : t.model.unknown}</dd>
    </div>
  )
}
