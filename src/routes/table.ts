import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import { deadlineExceeded } from '../domain/deadline.js'
import { createGate } from '../domain/gate.js'
import { once } from '../domain/once.js'
import { createDocs } from '../docs/docs.js'
import { openapiDocument } from '../openapi/document.js'
import type { Identity } from '../identity/identity.js'
import type { SigningKey } from '../identity/signing-key.js'
import type { SendMail } from '../identity/mailer.js'
import { bulkLinksStore } from '../layers/4-data/bulk-links.js'
import { decisionsStore } from '../layers/4-data/decisions.js'
import { followingStore } from '../layers/4-data/following.js'
import { invitationsStore } from '../layers/4-data/invitations.js'
import { listenerStore, liveVisitsStore } from '../layers/4-data/live.js'
import { logProofStore } from '../layers/4-data/log-proof.js'
import { SEARCH_MS } from '../layers/4-data/link-page.js'
import { linksStore } from '../layers/4-data/links.js'
import { personalTokensStore } from '../layers/4-data/personal-tokens.js'
import { profileStore } from '../layers/4-data/profile.js'
import { replaysStore } from '../layers/4-data/replay.js'
import { requestDecisionsStore } from '../layers/4-data/request-decisions.js'
import { signInsStore } from '../layers/4-data/sign-ins.js'
import { tagsStore } from '../layers/4-data/tags.js'
import { trashStore } from '../layers/4-data/trash.js'
import { userDeletionStore } from '../layers/4-data/user-deletion.js'
import { usersStore } from '../layers/4-data/users.js'
import { visitsStore } from '../layers/4-data/visits.js'
import type { Route } from '../layers/route.js'
import type { Metrics } from '../metrics/metrics.js'
import type { CurrentPolicy } from '../policy/current.js'
import { createPastSnapshots } from '../policy/past-snapshots.js'
import type { PolicyRules } from '../policy/store.js'
import { findDeletedLink, findLink } from '../redirects/find-link.js'
import type { Redirects } from '../redirects/redirects.js'
import { VERSION } from '../version.js'
import type { Live } from '../http/live.js'
import type { Visits } from '../visits/visits.js'
import { accessRoutes } from './access.js'
import { addressRoutes } from './addresses.js'
import { auditRoutes } from './audit.js'
import { authRoutes } from './auth.js'
import { issuerSignIn, passwordSignIn } from './browser-sign-in.js'
import { bulkRoute } from './bulk.js'
import { consoleRoutes } from './console.js'
import { docsRoutes } from './docs.js'
import { invitationRoutes } from './invitations.js'
import { linkRightsRoute } from './link-rights.js'
import { linkRoutes } from './links.js'
import { livePolicyRoute, liveVisitsRoute } from './live.js'
import { ownRightsRoute } from './own-rights.js'
import { pageRoutes } from './pages.js'
import { passwordRoutes } from './passwords.js'
import { personalTokenRoutes } from './personal-tokens.js'
import { policyRoutes } from './policy.js'
import type { PolicyParts } from './policy-edit.js'
import { profileRoutes } from './profile.js'
import { proofRoutes } from './proof.js'
import { proposalRoutes } from './proposals.js'
import { qrRoute } from './qr.js'
import type { Readiness } from './readiness.js'
import { redirectRoutes } from './redirect.js'
import { restoreLinkRoute } from './restore-link.js'
import { sessionRoutes } from './session.js'
import { signInRoutes } from './sign-ins.js'
import { systemRoutes } from './system.js'
import type { OwnPlace } from './target.js'
import { userRoutes } from './users.js'
import { visitRoutes } from './visits.js'

export interface TableParts {
  readonly database: Database
  readonly rules: PolicyRules
  readonly policy: CurrentPolicy
  readonly redirects: Pick<Redirects, 'find' | 'changed' | 'forget'>
  readonly identity: Identity
  /** the installation's own key */
  readonly signingKey: SigningKey
  readonly visits: Pick<Visits, 'note' | 'catchUp'>
  readonly live: Pick<Live, 'listen'>
  readonly livePolicy: Pick<Live, 'listen'>
  /** undefined without an SMTP server */
  readonly sendMail: SendMail | undefined
  readonly place: OwnPlace
  readonly settings: Config
  /** undefined if metrics have a port of their own */
  readonly metrics: Pick<Metrics, 'text' | 'contentType'> | undefined
  readonly readiness: () => Promise<Readiness>
}

/** The single route table, used by the router, the OpenAPI document, the reference and the tests of every route. */
export const routeTable = (parts: TableParts): readonly Route[] => {
  const { database, rules, policy, redirects, visits, live, livePolicy } = parts
  const { identity, signingKey, sendMail, place, settings, readiness, metrics } = parts
  const { baseUrl } = place
  const { own, issuerSession, findUser, provePassword, hashPassword, verifyPassword } = identity
  // an external issuer manages its users' addresses
  const confirmAddress = own === null ? undefined : sendMail
  // half of the pool is left for everything else
  const searches = createGate({
    atOnce: Math.max(1, Math.floor(settings.databasePoolSize / 2)),
    withinMs: SEARCH_MS,
    refuse: () => deadlineExceeded({ detail: 'Too many searches are in progress.' }),
  })
  // an analysis of the whole policy keeps the processor busy all the time
  const analyses = createGate({
    atOnce: 1,
    withinMs: settings.requestDeadlineMs / 2,
    refuse: () => deadlineExceeded({ detail: 'Another analysis of the policy is in progress.' }),
  })
  const findRecord = findLink(database)
  const findSnapshot = createPastSnapshots(database, rules, policy)
  const policyParts: PolicyParts = {
    database,
    rules,
    policy,
    analyses,
    replays: replaysStore(database, settings.requestDeadlineMs),
    findSnapshot,
    findUser,
    findLink: findRecord,
    approvals: settings.policyApprovals,
  }
  const keepsTrash = settings.trashDays > 0
  const trash = trashStore(database, redirects.changed, searches)
  const openapi = once(async () => JSON.stringify(await openapiDocument(table, { baseUrl, version: VERSION })))
  const table: readonly Route[] = [
    ...linkRoutes({
      findLink: findRecord,
      findUser,
      links: linksStore({ database, changed: redirects.changed, searches, keepsTrash }),
      trash,
      tags: tagsStore(database, searches),
      place,
      hashPassword,
    }),
    linkRightsRoute({ findLink: findRecord, findUser }),
    qrRoute({ findLink: findRecord, baseUrl }),
    bulkRoute({
      findLink: findRecord,
      findDeletedLink: findDeletedLink(database),
      isUser: async (id) => (await findUser(id)) !== null,
      bulk: bulkLinksStore({ database, changed: redirects.changed, keepsTrash }),
      place,
    }),
    ...visitRoutes({
      findLink: findRecord,
      visits: visitsStore({ database, searches, visitDays: settings.visitDays, catchUp: visits.catchUp }),
      counting: settings.countsVisits,
    }),
    liveVisitsRoute({ findLink: findRecord, counts: liveVisitsStore(database), live, policy }),
    restoreLinkRoute({ findDeletedLink: findDeletedLink(database), trash, place }),
    ...profileRoutes({
      profile: profileStore(database),
      provePassword,
      hashPassword,
      sendMail: confirmAddress,
      baseUrl,
    }),
    ownRightsRoute({ findLink: findRecord }),
    ...personalTokenRoutes({ tokens: personalTokensStore(database) }),
    ...(own === null
      ? []
      : [
          ...invitationRoutes({
            invitations: invitationsStore(database),
            find: own.findInvitation,
            accept: own.acceptInvitation,
            sendMail,
            baseUrl,
          }),
          ...authRoutes({ signIn: own.signIn }),
          ...signInRoutes({ signIns: signInsStore(database) }),
          ...sessionRoutes({ signIn: passwordSignIn(own.signIn), baseUrl }),
          ...addressRoutes({ addresses: own.addressChange, sendMail, baseUrl }),
          ...passwordRoutes({ reset: own.passwordReset, sendMail, baseUrl }),
        ]),
    // after the invitation routes, whose paths would match as user ids
    ...userRoutes({
      users: usersStore(database),
      deletion: userDeletionStore(database, redirects.changed),
      findUser,
      // without mail, nobody can confirm an address
      setsAddresses: confirmAddress === undefined,
    }),
    ...(issuerSession === null ? [] : sessionRoutes({ signIn: issuerSignIn(issuerSession, baseUrl), baseUrl })),
    ...accessRoutes({ findUser, findLink: findRecord, baseUrl }),
    ...auditRoutes({
      decisions: decisionsStore(database),
      requests: requestDecisionsStore(database),
      findSnapshot,
      findAddress: identity.findAddress,
    }),
    ...proofRoutes({
      proof: logProofStore(database, { issuer: identity.issuer.name, key: signingKey }),
      key: signingKey,
    }),
    ...policyRoutes(policyParts),
    livePolicyRoute({ listener: listenerStore(database), live: livePolicy, policy }),
    ...proposalRoutes(policyParts),
    ...systemRoutes({
      readiness,
      metrics,
      // an external issuer publishes its own keys
      jwks: own?.jwks ?? (() => ({ keys: [] })),
      openapi,
    }),
    ...docsRoutes(createDocs(openapi)),
    ...consoleRoutes({
      trashDays: settings.trashDays,
      signIn:
        own !== null
          ? 'password'
          : issuerSession === null
            ? 'not set up'
            : () => issuerSession.authorizationUrl(baseUrl),
    }),
    ...pageRoutes({ findLink: findRecord, baseUrl, version: VERSION }),
    // last: it matches every single-segment path
    ...redirectRoutes({
      baseUrl,
      findLink: redirects.find,
      findFresh: findRecord,
      following: followingStore({ database, verify: verifyPassword, forget: redirects.forget }),
      visits,
    }),
  ]
  return table
}
