import { useSignal } from '@preact/signals'

import { LANGUAGES, chooseLanguage, currentLanguage, t } from '../../language/language'
import type { Language } from '../../language/language'
import { Card } from '../../parts/card'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const chosenTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem('theme')) ?? 'system'

/** At once, and at the next visit (theme.ts). */
const chooseTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    localStorage.removeItem('theme')
    delete dataset['theme']
  } else {
    localStorage.setItem('theme', theme)
    dataset['theme'] = theme
  }
}

/** In this browser alone. */
export const AppearanceCard = () => {
  const theme = useSignal(chosenTheme())
  return (
    <Card title={t.settings.appearance.title}>
      <div class="body stack">
        <Segments
          legend={t.settings.appearance.theme}
          name="theme"
          options={t.settings.appearance.themes}
          chosen={theme.value}
          onChoose={(chosen) => {
            theme.value = chosen
            chooseTheme(chosen)
          }}
        />
        <Segments<Language>
          legend={t.settings.appearance.language}
          name="language"
          options={LANGUAGES}
          chosen={currentLanguage()}
          onChoose={chooseLanguage}
        />
      </div>
    </Card>
  )
}

/** One of a few, all of them in sight. */
const Segments = <Name extends string>({
  legend,
  name,
  options,
  chosen,
  onChoose,
}: {
  readonly legend: string
  readonly name: string
  readonly options: Readonly<Record<Name, string>>
  readonly chosen: Name
  readonly onChoose: (name: Name) => unknown
}) => (
  <fieldset class="field">
    <legend>{legend}</legend>
    <div class="row">
      <div class="segments">
        {namesOf(options).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name={name}
              value={each}
              checked={each === chosen}
              onChange={() => void onChoose(each)}
            />
            {options[each]}
          </label>
        ))}
      </div>
    </div>
  </fieldset>
)

const namesOf = <Name extends string>(options: Readonly<Record<Name, string>>): readonly Name[] => {
  const names: Name[] = []
  for (const name in options) names.push(name)
  return names
}
