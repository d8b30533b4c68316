import { useSignal } from '@preact/signals'

import type { api } from '../../api'
import { dateAndSeconds, number } from '../../language/format'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { EffectWord } from '../../parts/matrix/verdict'
import { MoreFoot } from '../../parts/more-foot'

export type Proof = Awaited<ReturnType<typeof api.getProof>>

/** How many are shown at first. */
const FIRST = 8

/** The chains of the log, with their lengths. */
export const ChainsCard = ({ chains }: { readonly chains: Proof['chains'] }) => {
  const most = useSignal(FIRST)
  const shown = chains.slice(0, most.value)
  return (
    <Card title={t.proof.chains}>
      <p class="body lead">{t.proof.chainsHint}</p>
      <table class="table decisions">
        <thead>
          <tr>
            <th scope="col">{t.proof.chain}</th>
            <th scope="col" class="number">
              {t.proof.entries}
            </th>
            <th scope="col">{t.proof.newest}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ chain, entries, newest_at: newest }) => (
            <tr key={chain}>
              <th scope="row">{chain}</th>
              <td class="number">{number(entries)}</td>
              <td>{newest === null ? t.none : <time dateTime={newest}>{dateAndSeconds(newest)}</time>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {chains.length > FIRST && (
        <MoreFoot shown={shown.length} all={chains.length} onMore={() => (most.value = chains.length)} />
      )}
    </Card>
  )
}

/** The newest signatures of the log: time, key and validity. */
export const CheckpointsCard = ({
  proof: { checkpoints, key, since_checkpoint: since, checkpoint },
}: {
  readonly proof: Proof
}) => (
  <Card title={t.proof.checkpoints}>
    {checkpoints.length > 0 && (
      <table class="table decisions">
        <thead>
          <tr>
            <th scope="col">{t.proof.signed}</th>
            <th scope="col">{t.proof.key}</th>
            <th scope="col">{t.proof.signature}</th>
          </tr>
        </thead>
        <tbody>
          {checkpoints.map(({ id, kind, time, key: by, valid, why }) => (
            <tr key={id}>
              <th scope="row">
                <time dateTime={time}>{dateAndSeconds(time)}</time>
                {kind === 'expiry' && <span class="caption">{t.proof.expiry}</span>}
              </th>
              <td>
                <code>{by === null ? t.none : by}</code>{' '}
                {by === key.thumbprint && <span class="caption">{t.proof.inUse}</span>}
              </td>
              <td>
                <EffectWord
                  effect={valid ? 'allow' : 'deny'}
                  words={{ allow: t.proof.valid, deny: t.proof.notValid }}
                />
                {why !== null && <span class="caption">{t.detailOf(why)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    <p class="body lead">
      {checkpoint === null ? t.proof.noCheckpoint : t.proof.newer(number(since), dateAndSeconds(checkpoint))}
    </p>
  </Card>
)
