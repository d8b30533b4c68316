import { t } from '../../language/language'

const TABS = { question: '/console/explain', request: '/console/explain?request=', model: '/console/model' } as const

/** Links between the pages that explain. */
export const ExplainTabs = ({ here }: { readonly here: keyof typeof TABS }) => {
  const tab = (name: keyof typeof TABS, words: string) => (
    <a href={TABS[name]} aria-current={name === here ? 'page' : undefined}>
      {words}
    </a>
  )
  return (
    <nav class="tabs" aria-label={t.explain.tabs}>
      {tab('question', t.explain.ask)}
      {tab('request', t.explain.byRequest)}
      {tab('model', t.explain.model)}
    </nav>
  )
}
