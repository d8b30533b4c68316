import { t } from '../language/language'
import { signOut } from '../session'
import { problemIn } from './loaded'
import { failedWords, say } from './toast'
import { askUnsaved } from './unsaved'

/** Signs out. If that fails, tells the user that they are still signed in: others may use this browser. */
export const leave = (): void =>
  askUnsaved(() => signOut().catch((error: unknown) => say(t.stillSignedIn(failedWords(problemIn(error))))))
