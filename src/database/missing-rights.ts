import type { Client } from 'pg'

interface Owner {
  readonly name: string
  readonly might: boolean
  readonly makesRoles: boolean
  readonly inherits: boolean
  readonly ownsSchema: boolean
  /** what the role would have to own so that it owns the schema */
  readonly toOwn: string
  readonly knowsAdmins: boolean
}

/** Names are quoted if needed, because people copy the message and run it. */
const OWNER = `
  select quote_ident(current_user) as name, rolsuper as might, rolcreaterole as "makesRoles", rolinherit as inherits,
    pg_has_role(nspowner, 'usage') as "ownsSchema",
    case when nspowner = to_regrole('pg_database_owner') then 'database ' || quote_ident(current_database())
      else 'schema public' end as "toOwn",
    current_setting('server_version_num')::int >= 160000 as "knowsAdmins"
  from pg_roles, pg_namespace where rolname = current_user and nspname = 'public'`

/** Since PostgreSQL 16, a role can be granted only by somebody with its admin option. */
const NOT_ADMINISTERED = `
  select string_agg(quote_ident(rolname), ', ' order by rolname) as roles from pg_roles
   where rolname = any ($1) and not pg_has_role(oid, 'member with admin option')`

/**
 * The rights that the migrating role lacks, as statements that a superuser can run; empty if none are known to be
 * missing. `roles`: those that the migrations grant to the service.
 */
export const missingRights = async (client: Client, roles: readonly string[]): Promise<readonly string[]> => {
  const [owner] = (await client.query<Owner>(OWNER)).rows
  if (owner === undefined || owner.might) return []
  const { name, makesRoles, inherits, ownsSchema, toOwn, knowsAdmins } = owner
  const [others] = knowsAdmins ? (await client.query<{ roles: string | null }>(NOT_ADMINISTERED, [roles])).rows : []
  return [
    ...(makesRoles ? [] : [`alter role ${name} createrole`]),
    // newer servers store the right to inherit in each grant, and the grants of the migrations have it
    ...(inherits || knowsAdmins ? [] : [`alter role ${name} inherit`]),
    ...(ownsSchema ? [] : [`alter ${toOwn} owner to ${name}`]),
    ...(others?.roles ? [`grant ${others.roles} to ${name} with admin option`] : []),
  ]
}
