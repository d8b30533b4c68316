import { expect } from 'chai'
import { Client } from 'pg'

import { openPool } from '../../src/database/pool.js'
import type { Database } from '../../src/database/database.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { addLink, addUserWithId } from '../support/records.js'

const LOGIN = 'linkgate_service'

const RECORD =
  'action,effect,layer,network,relation,request_id,resource_code,resource_id,resource_type,revision,row_priority,' +
  'rule,status,subject_id,subject_role,token_id'
const TOKEN = 'expires_at,made_by_sign_in,made_by_token,name,scopes,token_hash,user_id'
const TOKEN_BY_HAND = 'expires_at,name,scopes,token_hash,user_id'
const TOKEN_CHECK = 'expires_at,id,last_used_at,revoked_at,scopes,token_hash,user_id'
const TOKEN_LIST = 'created_at,expires_at,id,last_used_at,made_by_sign_in,made_by_token,name,revoked_at,scopes,user_id'
const SIGN_IN = 'created_at,expires_at,family,id,revoked_at,user_id'
const LINK_FIELDS =
  'active,code,expires_at,forward_query,max_visits,note,password_hash,starts_at,status,tags,target,title,updated_at,' +
  'used,version'
const INVITATION = 'accepted_at,created_at,email,expires_at,id,invited_by,role,withdrawn_at'
const PROPOSAL = 'actor,actor_id,added,base,comments,reason,removed'
const CLOSING = 'closed_at,closer,closer_id,closing_reason,revision,state'
const USER = 'created_at,email,id,name,role,suspended_at,updated_at,version'

/**
 * Every right on a table or a column that any role but the schema's owner has. Nothing else may appear, and nothing may
 * be missing.
 */
const RIGHTS = `
audit_chain audit_chains INSERT SELECT UPDATE
audit_chain audit_writers USAGE
audit_chain decision_ids USAGE
audit_chain decisions INSERT
audit_chain policy_head SELECT
audit_chain refresh_tokens SELECT(family,id)
audit_reader audit_chains SELECT
audit_reader audit_checkpoints SELECT
audit_reader decisions SELECT
audit_writer audit_chains SELECT
audit_writer audit_checkpoints INSERT(jws,kind) SELECT
audit_writer decisions INSERT(${RECORD})
identity account_tokens DELETE INSERT(email,expires_at,purpose,token_hash,user_id) SELECT UPDATE(email,token_hash)
identity changed_links INSERT
identity deleted_links DELETE SELECT(id,owner_id) UPDATE(owner_id)
identity external_identities INSERT SELECT
identity idempotency_keys DELETE SELECT(created_at,key_hash,user_id)
identity invitations DELETE SELECT UPDATE(accepted_at)
identity links DELETE INSERT SELECT(code,id,owner_id,target,version) UPDATE(owner_id,updated_at,version)
identity personal_tokens INSERT(${TOKEN_BY_HAND}) SELECT(${TOKEN_CHECK}) UPDATE(last_used_at,revoked_at)
identity policy_head SELECT
identity refresh_tokens DELETE INSERT SELECT UPDATE(revoked_at,used_at)
identity users DELETE INSERT SELECT UPDATE
linkgate_service casbin SELECT
linkgate_service policy_comments SELECT
linkgate_service policy_head SELECT
linkgate_service policy_proposals SELECT
linkgate_service policy_revisions SELECT
linkgate_service schema_migrations SELECT
links_any changed_links INSERT
links_any deleted_links DELETE INSERT SELECT
links_any links DELETE INSERT SELECT UPDATE(${LINK_FIELDS})
links_any owner_visit_hours SELECT
links_any owner_visit_values SELECT
links_any visit_counts SELECT
links_any visit_hours SELECT
links_any visit_values SELECT
links_any visits SELECT
links_own changed_links INSERT
links_own deleted_links DELETE INSERT SELECT
links_own idempotency_keys INSERT(fingerprint,key_hash,record,user_id) SELECT
links_own links DELETE INSERT SELECT UPDATE(${LINK_FIELDS})
links_own own_links SELECT
links_own owner_visit_hours SELECT
links_own owner_visit_values SELECT
links_own visit_counts SELECT
links_own visit_hours SELECT
links_own visit_values SELECT
links_own visits SELECT
links_public changed_links INSERT
links_public deleted_links DELETE SELECT UPDATE(owner_id)
links_public links SELECT UPDATE(owner_id,updated_at,used,version)
policy_editor casbin DELETE INSERT SELECT
policy_editor decisions INSERT(${RECORD})
policy_editor policy_head SELECT UPDATE(revision)
policy_editor policy_proposals INSERT(${PROPOSAL}) SELECT UPDATE(${CLOSING})
policy_editor policy_revisions INSERT SELECT
users_any invitations SELECT(${INVITATION}) UPDATE(withdrawn_at)
users_any users DELETE SELECT(${USER}) UPDATE(email,role,suspended_at,updated_at,version)
users_own account_tokens INSERT(email,expires_at,purpose,token_hash,user_id)
users_own idempotency_keys INSERT(fingerprint,key_hash,record,user_id) SELECT
users_own invitations INSERT(email,expires_at,invited_by,role,token_hash) SELECT(${INVITATION}) UPDATE(withdrawn_at)
users_own personal_tokens INSERT(${TOKEN}) SELECT(${TOKEN_LIST}) UPDATE(revoked_at)
users_own refresh_tokens SELECT(${SIGN_IN}) UPDATE(revoked_at)
users_own users DELETE SELECT(${USER}) UPDATE(name,password_hash,updated_at,version)
visit_counter added_visits DELETE INSERT SELECT
visit_counter daily_visitors INSERT SELECT
visit_counter deleted_links SELECT(id,owner_id)
visit_counter links SELECT(id,owner_id)
visit_counter owner_visit_hours DELETE INSERT SELECT UPDATE
visit_counter owner_visit_values DELETE INSERT SELECT UPDATE
visit_counter users SELECT(id)
visit_counter visit_counts DELETE INSERT SELECT UPDATE
visit_counter visit_hours DELETE INSERT SELECT UPDATE
visit_counter visit_salt SELECT
visit_counter visit_values DELETE INSERT SELECT UPDATE
visit_counter visit_writers DELETE INSERT SELECT UPDATE
visit_counter visits DELETE INSERT SELECT UPDATE
`
  .trim()
  .split('\n')

/** Functions that run as their owner, the owner, and who else may call them. */
const DEFINERS = `
add_months(text,integer) postgres linkgate_service
add_visits(uuid,bigint,date,jsonb,bigint[],bigint[],integer[],bigint[]) visit_counter linkgate_service
admit_external_user(text,text,text) identity linkgate_service
analyze_links() postgres linkgate_service
announce_changed_links() postgres linkgate_service
caller_stands(jsonb) identity linkgate_service
chain_decision() audit_chain -
claim_job(text,integer) postgres linkgate_service
count_visits(integer) visit_counter linkgate_service
drop_visit_months(integer) postgres linkgate_service
end_account_tokens() identity -
expire_visits(integer) visit_counter linkgate_service
find_deleted_link(bigint) links_public linkgate_service
find_external_user(text,text) identity linkgate_service
find_links(text[]) links_public linkgate_service
find_user(bigint,uuid,bigint) identity linkgate_service
forget_user() identity -
forget_visits() visit_counter linkgate_service
give_deleted_links(bigint,bigint) links_public links_any,links_own
give_links(bigint[],bigint) links_public links_any,links_own
keep_policy_comments() postgres -
limit_new_addresses() identity -
limit_personal_tokens() identity -
link_ids_with_visits(bigint[]) visit_counter identity
link_password(bigint) links_public linkgate_service
move_visits() visit_counter linkgate_service
note_new_owner() visit_counter -
note_policy_change() postgres -
purge_deleted_links(integer) links_public linkgate_service
record_account_token() audit_chain -
record_decision() audit_chain -
record_ended_sign_in(bigint,uuid,boolean) audit_chain identity
record_external_identity() audit_chain -
record_link_change() audit_chain -
record_link_used(bigint,text) audit_chain identity
record_personal_token() audit_chain -
record_policy_proposal() audit_chain -
record_policy_revision() audit_chain -
record_refused_sign_in(bigint,text) audit_chain identity
record_sign_in() audit_chain -
record_signed_token(bigint,text,text[],timestamp with time zone) audit_chain identity
record_unexplained_policy_rows() postgres linkgate_service
record_user_change() audit_chain -
record_withdrawn_invitation() audit_chain -
require_active_admin() identity -
require_own_family() identity -
require_password(text) identity users_own
reserve_link_ids(bigint) postgres linkgate_service
settle_policy_edit() postgres -
sum_visit_days(integer) visit_counter linkgate_service
sweep_idempotency_keys(bytea) identity links_own,users_own
take_visit(bigint,bigint) links_public linkgate_service
use_personal_token(bytea) identity linkgate_service
visit_day() postgres linkgate_service
`
  .trim()
  .split('\n')

describe("the database's own word", () => {
  let db: TestDatabase
  let pool: Database

  before(async () => {
    db = await testDatabase()
    pool = openPool({ connection: db.service, size: 2, deadlineMs: 5_000 })
    await addUserWithId(db, '1', 'editor')
    await addUserWithId(db, '2', 'editor')
    await addLink(db, { owner: '1' })
    await addLink(db, { owner: '2' })
    await addLink(db, { owner: null })
  })
  after(() => pool.close())

  const lines = async (text: string) => (await db.asOwner<{ line: string }>(text)).map(({ line }) => line)

  it('every table with an owner has row-level security, and forces it on its own owner too', async () => {
    const owned = await db.asOwner(`
      select c.relname, c.relrowsecurity, c.relforcerowsecurity from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'f')
         and (c.relname = 'users' or exists (
           select from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and (a.attname in ('owner_id', 'user_id', 'owner', 'invited_by') or a.attname like '%\\_owner\\_id')))
       order by 1`)
    expect(owned.map(({ relname }) => relname)).to.include.members(['links', 'users', 'refresh_tokens'])
    for (const table of owned) expect(table).to.include({ relrowsecurity: true, relforcerowsecurity: true })
  })

  it('every table that refers to a user and is not in the log has row-level security', async () => {
    expect(
      await lines(`
      select distinct c.relname as line from pg_constraint k join pg_class c on c.oid = k.conrelid
       where k.contype = 'f' and k.confrelid = 'users'::regclass and not (c.relrowsecurity and c.relforcerowsecurity)`),
    ).to.deep.equal([])
  })

  it('no policy is for everybody, and none lets a role of one user see more than that user', async () => {
    expect(await lines(`select polname as line from pg_policy where 0 = any(polroles)`)).to.deep.equal([])
    const own = await db.asOwner<{ using: string | null; check: string | null }>(`
      select pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as check from pg_policy
       where polroles && array['links_own', 'users_own']::regrole[]::oid[]`)
    expect(own).to.have.length.of.at.least(2)
    const throughLink = new RegExp(
      String.raw`^\(+EXISTS \( SELECT\s+FROM links l\s+WHERE \(l\.id = \w+\.link_id\)\)\)` +
        String.raw`(?: OR \(EXISTS \( SELECT\s+FROM deleted_links d\s+WHERE \(d\.id = \w+\.link_id\)\)\)\))?$`,
    )
    for (const expression of own.flatMap(({ using, check }) => [using, check])) {
      if (expression !== null && !throughLink.test(expression))
        expect(expression.replace(/^\((?:owner_id|user_id|id|invited_by) = /, '(owner = ')).to.equal(
          `(owner = ( SELECT (NULLIF(current_setting('app.user_id'::text, true), ''::text))::bigint AS "nullif"))`,
        )
    }
  })

  it('the login role and the roles of a request have no power of their own', async () => {
    const roles = await db.asOwner(`
      select rolname, rolsuper, rolbypassrls, rolinherit, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin
        from pg_roles
       where not rolsuper and rolname not like 'pg\\_%'`)
    expect(roles).to.not.deep.equal([])
    for (const role of roles) {
      expect(role, String(role['rolname'])).to.include({
        rolsuper: false,
        rolbypassrls: false,
        rolinherit: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolcanlogin: role['rolname'] === LOGIN,
      })
    }
  })

  it('the login role owns nothing, and the others own but their functions, and one view', async () => {
    expect(
      await lines(`
      select r.rolname || ' ' || owned.name as line
        from (select relname as name, relowner as owner from pg_class
              union all select nspname, nspowner from pg_namespace where nspname <> 'public'
              union all select datname, datdba from pg_database
              union all select proname, proowner from pg_proc where not prosecdef) owned
        join pg_roles r on r.oid = owned.owner
       where not r.rolsuper`),
    ).to.deep.equal(['links_public own_links'])
    expect(await lines(`select p.proname as line from pg_proc p where p.proowner = '${LOGIN}'::regrole`)).to.deep.equal(
      [],
    )
  })

  it('the rights on tables and columns are these, and no others', async () => {
    const found = await lines(`
      with rights as (
        select a.grantee, c.relname, a.privilege_type as privilege
          from pg_class c cross join lateral aclexplode(c.relacl) a
         where c.relnamespace = 'public'::regnamespace and a.grantee <> c.relowner
        union all
        select a.grantee, c.relname, a.privilege_type || '(' || string_agg(t.attname, ',' order by t.attname) || ')'
          from pg_attribute t
          join pg_class c on c.oid = t.attrelid cross join lateral aclexplode(t.attacl) a
         where c.relnamespace = 'public'::regnamespace group by a.grantee, c.relname, a.privilege_type
      )
      select coalesce(r.rolname, 'PUBLIC') || ' ' || relname || ' ' ||
             string_agg(privilege, ' ' order by privilege collate "C") as line
        from rights left join pg_roles r on r.oid = grantee group by r.rolname, relname order by line`)
    expect(found.sort()).to.deep.equal(RIGHTS)
  })

  it('only the owner may truncate, reference or put triggers on a table, grant, or create in a schema', async () => {
    expect(
      await lines(`
      select r.rolname || ' ' || c.relname || ' ' || privilege as line from pg_roles r cross join pg_class c
        cross join unnest(array['TRUNCATE', 'REFERENCES', 'TRIGGER', 'SELECT WITH GRANT OPTION',
                                'INSERT WITH GRANT OPTION']) privilege
       where not r.rolsuper and r.rolname not like 'pg\\_%'
         and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and has_table_privilege(r.oid, c.oid, privilege)`),
    ).to.deep.equal([])
    expect(
      await lines(`
      select r.rolname || ' ' || n.nspname as line from pg_roles r cross join pg_namespace n
       where not r.rolsuper and r.rolname not like 'pg\\_%' and n.nspname !~ '^pg_(?:toast_)?temp'
         and has_schema_privilege(r.oid, n.oid, 'CREATE')`),
    ).to.deep.equal([])
  })

  it('the login role may become the roles of a request, inherits no rights, and has no admin option', async () => {
    expect(
      await lines(`
      select g.rolname || case when m.admin_option then ' ADMIN' else '' end ||
             case when m.inherit_option then ' INHERIT' else '' end as line
        from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = '${LOGIN}'::regrole order by 1`),
    ).to.deep.equal([
      'audit_reader',
      'audit_writer',
      'identity',
      'links_any',
      'links_own',
      'policy_editor',
      'users_any',
      'users_own',
    ])
    expect(
      await lines(`
      select m.member::regrole::text as line from pg_auth_members m join pg_roles r on r.oid = m.member
       where not r.rolsuper and r.rolname not like 'pg\\_%' and r.rolname <> '${LOGIN}'`),
    ).to.deep.equal([])
  })

  it('functions that run as their owner pin their search path, and have these owners and callers only', async () => {
    const found = await lines(`
      select p.oid::regprocedure || ' ' || o.rolname || ' ' || coalesce((
               select string_agg(coalesce(r.rolname, 'PUBLIC'), ',' order by r.rolname)
                 from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                 left join pg_roles r on r.oid = a.grantee where a.grantee <> p.proowner), '-') as line
        from pg_proc p join pg_roles o on o.oid = p.proowner
       where p.pronamespace = 'public'::regnamespace and p.prosecdef order by line`)
    expect(found.sort()).to.deep.equal(DEFINERS)
    expect(
      await lines(`
      select proname as line from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
         and proconfig is distinct from array['search_path=pg_catalog, pg_temp']`),
    ).to.deep.equal([])
  })

  it('one view alone reads past row-level security, and leaves the rows that it would leave', async () => {
    expect(
      await lines(`
      select relname as line from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
         and not coalesce(reloptions @> array['security_invoker=true'], false)`),
    ).to.deep.equal(['own_links'])
    for (const owner of ['71', '72']) {
      await addUserWithId(db, owner, 'editor')
      await addLink(db, { owner })
    }
    await addLink(db, { owner: null })
    for (const user of ['71', '72', '73', null]) {
      const seen = async (rows: string) => {
        const enter = { text: 'select enter($1, $2)', values: ['links_own', user] }
        return (await pool.flush([enter, { text: `select id from ${rows} order by id` }]))[1]?.rows
      }
      const rows = await seen('own_links')
      expect(rows).to.deep.equal(await seen('links'))
      expect(rows).to.have.length(user === '71' || user === '72' ? 1 : 0)
    }
  })

  it('no column of a link changes without its decision and its announcement, but the count of visits', async () => {
    const columns = await lines(
      `select column_name as line from information_schema.columns where table_name = 'links' and column_name <> 'used'`,
    )
    for (const trigger of ['link_decision', 'notify_link_change']) {
      const watched = await lines(
        `select event_object_column as line from information_schema.triggered_update_columns
          where trigger_name = '${trigger}'`,
      )
      expect(watched, trigger).to.have.members(columns)
    }
  })

  it('without a setting, and with an empty one, the roles of one user see no row and change none', async () => {
    for (const setting of [null, '']) {
      const client = new Client(db.service)
      await client.connect()
      try {
        await client.query('begin')
        if (setting !== null) await client.query(`select set_config('app.user_id', $1, true)`, [setting])
        await client.query('set local role links_own')
        expect((await client.query('select code from links')).rowCount).to.equal(0)
        expect((await client.query(`update links set target = 'https://example.com/x'`)).rowCount).to.equal(0)
        expect((await client.query('delete from links')).rowCount).to.equal(0)
        await client.query('set local role users_own')
        expect((await client.query('select id from users')).rowCount).to.equal(0)
        expect((await client.query(`update users set name = 'x'`)).rowCount).to.equal(0)
      } finally {
        await client.end()
      }
    }
  })

  it('the login role, while it is nobody, can read, change or empty no table that has owners', async () => {
    for (const table of [
      'links',
      'users',
      'refresh_tokens',
      'personal_tokens',
      'invitations',
      'idempotency_keys',
      'account_tokens',
      'decisions',
      'visits',
      'visit_counts',
      'visit_hours',
      'visit_values',
      'owner_visit_hours',
      'owner_visit_values',
    ]) {
      for (const text of [
        `select from ${table}`,
        `delete from ${table}`,
        `truncate ${table}`,
        `copy ${table} to stdout`,
      ]) {
        const refused = await pool.run({ text }).then(
          () => null,
          (error: unknown) => error,
        )
        expect(refused, text).to.have.property('code', '42501')
      }
    }
  })

  it('the login role cannot become the owner, disable row-level security, or misuse our triggers', async () => {
    for (const text of [
      'set role postgres',
      'alter table links disable row level security',
      'alter table links no force row level security',
      `create policy hole on links using (true)`,
      `alter role ${LOGIN} superuser`,
      'create table public.mine (id int)',
      'drop table links',
    ]) {
      const refused = await pool.run({ text }).then(
        () => null,
        (error: unknown) => error,
      )
      expect(refused, text).to.have.property('code', '42501')
    }
    const refused = await pool
      .transaction(async (client) => {
        await client.query('create temp table bait (id int) on commit drop')
        await client.query(
          'create trigger pull after truncate on bait for each statement execute function note_policy_change()',
        )
        await client.query('truncate bait')
      })
      .then(
        () => null,
        (error: unknown) => error,
      )
    expect(refused).to.have.property('code', '42501')
  })

  it('a decision record is appended by the roles of a request, and never changed or deleted', async () => {
    for (const role of [
      'links_own',
      'links_any',
      'users_own',
      'users_any',
      'policy_editor',
      'audit_reader',
      'audit_writer',
      'identity',
    ]) {
      for (const text of ['update decisions set rule = rule', 'delete from decisions', 'truncate decisions']) {
        const refused = await pool.flush([{ text: 'select enter($1, 1)', values: [role] }, { text }]).then(
          () => null,
          (error: unknown) => error,
        )
        expect(refused, `${role}: ${text}`).to.have.property('code', '42501')
      }
    }
  })
})
