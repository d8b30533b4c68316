import { t } from '../../language/language'
import { Tabs } from '../../parts/tabs'

/** The things to explain: a question, a request, the rule language. */
export const ExplainTabs = ({ here }: { readonly here: 'question' | 'request' | 'model' }) => (
  <Tabs
    label={t.explain.tabs}
    tabs={[
      { href: '/console/explain', name: t.explain.ask, isHere: here === 'question' },
      { href: '/console/explain?request=', name: t.explain.byRequest, isHere: here === 'request' },
      { href: '/console/model', name: t.explain.model, isHere: here === 'model' },
    ]}
  />
)
