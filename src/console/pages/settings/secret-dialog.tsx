import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { CopyButton } from '../../parts/copy-button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import type { MadeToken } from './new-token-form'

/** The secret of a new token. Only its own button closes it: neither Escape nor a press elsewhere. */
export const SecretDialog = ({ token, onDone }: { readonly token: MadeToken; readonly onDone: () => unknown }) => (
  <Dialog title={t.settings.tokens.secretTitle}>
    <p>{t.settings.tokens.secretLead(token.name)}</p>
    <Field label={t.settings.tokens.secret}>
      {(names) => (
        <input
          {...names}
          class="mono"
          readOnly
          value={token.token}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      )}
    </Field>
    <div class="row">
      <CopyButton text={token.token} />
      <Button onPress={onDone}>{t.settings.tokens.secretDone}</Button>
    </div>
  </Dialog>
)
