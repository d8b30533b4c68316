import { useSignal } from '@preact/signals'

import { LANGUAGES, LANGUAGE_NAMES, chooseLanguage, currentLanguage, t } from '../../language/language'
import { Card } from '../../parts/card'
import { oneOf } from '../../parts/narrow'
import { SegmentsField } from '../../parts/segments'
import { forget, store, stored } from '../../parts/stored'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const chosenTheme = (): Theme => oneOf(THEMES, stored('theme')) ?? 'system'

/** Applies at once, and at the next visit (theme.ts). */
const chooseTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    forget('theme')
    delete dataset['theme']
  } else {
    store('theme', theme)
    dataset['theme'] = theme
  }
}

/** Settings of this browser only. */
export const AppearanceCard = () => {
  const theme = useSignal(chosenTheme())
  return (
    <Card title={t.settings.appearance.title}>
      <div class="body stack">
        <SegmentsField
          label={t.settings.appearance.theme}
          names={THEMES}
          chosen={theme.value}
          words={(each) => t.settings.appearance.themes[each]}
          onChoose={(chosen) => {
            theme.value = chosen
            chooseTheme(chosen)
          }}
        />
        <SegmentsField
          label={t.settings.appearance.language}
          names={LANGUAGES}
          chosen={currentLanguage()}
          words={(each) => LANGUAGE_NAMES[each]}
          onChoose={chooseLanguage}
        />
      </div>
    </Card>
  )
}
