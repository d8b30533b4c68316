import type { Client } from 'pg'

interface Owner {
  readonly name: string
  readonly might: boolean
  readonly makesRoles: boolean
  readonly inherits: boolean
  readonly ownsSchema: boolean
  /** who would have to own what, so that the role owns the schema */
  readonly toOwn: string
  readonly knowsAdmins: boolean
}

/** Names come quoted where they need quotes: whoever reads the message will run it. */
const OWNER = `
  select quote_ident(current_user) as name, rolsuper as might, rolcreaterole as "makesRoles", rolinherit as inherits,
    pg_has_role(nspowner, 'usage') as "ownsSchema",
    case when nspowner = to_regrole('pg_database_owner') then 'database ' || quote_ident(current_database())
      else 'schema public' end as "toOwn",
    current_setting('server_version_num')::int >= 160000 as "knowsAdmins"
  from pg_roles, pg_namespace where rolname = current_user and nspname = 'public'`

/** From PostgreSQL 16 on only who may administer a role can give it to others. */
const NOT_ADMINISTERED = `
  select string_agg(quote_ident(rolname), ', ' order by rolname) as roles from pg_roles
   where rolname = any ($1) and not pg_has_role(oid, 'member with admin option')`

/**
 * What the role that migrates lacks, as statements that a superuser can run to mend it; empty where nothing is known to
 * be missing. `roles`: those that the migrations give to the service.
 */
export const missingRights = async (client: Client, roles: readonly string[]): Promise<readonly string[]> => {
  const [owner] = (await client.query<Owner>(OWNER)).rows
  if (owner === undefined || owner.might) return []
  const { name, makesRoles, inherits, ownsSchema, toOwn, knowsAdmins } = owner
  const [others] = knowsAdmins ? (await client.query<{ roles: string | null }>(NOT_ADMINISTERED, [roles])).rows : []
  return [
    ...(makesRoles ? [] : [`alter role ${name} createrole`]),
    // later the right to inherit belongs to each grant, and those of the migrations have it
    ...(inherits || knowsAdmins ? [] : [`alter role ${name} inherit`]),
    ...(ownsSchema ? [] : [`alter ${toOwn} owner to ${name}`]),
    ...(others?.roles ? [`grant ${others.roles} to ${name} with admin option`] : []),
  ]
}
