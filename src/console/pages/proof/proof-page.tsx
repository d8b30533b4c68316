import { api } from '../../api'
import { dateAndSeconds } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { save } from '../../parts/download'
import { useLoaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { reasonFor } from '../../parts/service-rights'
import { WhenLoaded } from '../../parts/when-loaded'
import { ChainsCard, CheckpointsCard, type Proof } from './chains-card'
import { EvidenceCard } from './evidence-card'
import { KEY_FILE } from './evidence-file'
import { pemOf } from './public-key'
import { VerificationCard } from './verification-card'

/** How far the log is proved, and how others can verify it. */
export const ProofPage = () => {
  const off = reasonFor('audit:read')
  const loaded = useLoaded((signal) => api.getProof({ signal }), [])
  const { value, busy, again } = loaded
  return (
    <Page
      title={t.nav.proof}
      actions={
        <>
          <Button icon="restore" busy={busy} off={off} onPress={again}>
            {t.proof.lookAgain}
          </Button>
          <Button
            icon="key"
            off={off}
            onPress={() =>
              value !== null && save(KEY_FILE, new Blob([pemOf(value.key.jwk)], { type: 'application/x-pem-file' }))
            }
          >
            {t.proof.publicKey}
          </Button>
        </>
      }
    >
      <p class="lead">
        {t.proof.lead} <a href="/console/decisions">{t.nav.decisions}</a>
      </p>
      <WhenLoaded of={loaded}>{(proof) => <Proved proof={proof} />}</WhenLoaded>
      <VerificationCard off={off} onVerdict={again} />
      <div class="proof">
        <EvidenceCard off={off} />
        {value !== null && (
          <div class="stack">
            <CheckpointsCard proof={value} />
            <ChainsCard chains={value.chains} />
          </div>
        )}
      </div>
    </Page>
  )
}

const Proved = ({ proof }: { readonly proof: Proof }) => {
  const { entries, chains, checkpoint, since_checkpoint: since, retired, key } = proof
  return (
    <section class="card proved" aria-labelledby="proved-title not-proved-title">
      <div>
        <h2 id="proved-title">{t.proof.proved}</h2>
        <p>
          {checkpoint === null
            ? t.proof.nothingProved
            : t.proof.provedUpTo(entries - Math.min(since, entries), dateAndSeconds(checkpoint))}
        </p>
        <p>{t.proof.chained(entries, chains.length)}</p>
        {retired.entries > 0 && <p>{t.proof.retired(retired.entries, retired.months.length)}</p>}
        <p>
          {t.proof.signedWith} <code>{key.thumbprint}</code>
        </p>
      </div>
      <div>
        <h2 id="not-proved-title">{t.proof.notProved}</h2>
        <p>{t.proof.notYet(since)}</p>
        <p>{t.proof.withTheKey}</p>
        <p>{t.proof.removed}</p>
      </div>
    </section>
  )
}
