import { t } from '../language/language'
import { signOut } from '../session'
import { problemIn } from './loaded'
import { failedWords, say } from './toast'
import { askUnsaved } from './unsaved'

/** Signs out. If the service cannot be reached, the user is told that they are still signed in: others may sit here. */
export const leave = (): void =>
  askUnsaved(() => signOut().catch((error: unknown) => say(t.stillSignedIn(failedWords(problemIn(error))))))
