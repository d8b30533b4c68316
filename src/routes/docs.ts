import { z } from 'zod'

import type { Docs } from '../docs/docs.js'
import { Refusal } from '../domain/refusal.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { PUBLIC_GET } from './shared-layers.js'

/** A malformed name belongs to no page. */
const PageName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,99}$/)
  .meta({ maxLength: 100, description: 'a name from the contents', examples: ['guides'] })

/** The documentation as pages: the API reference and the guides. */
export const docsRoutes = ({ reference, find }: Docs): readonly Route[] => [
  route({
    ...PUBLIC_GET,
    path: '/docs',
    handle: async () => ({ status: 200, ...(await reference()) }),
    documentation: {
      id: 'getDocs',
      summary: 'The API reference as a page',
      description: 'Every operation with its fields, responses and refusals, and forms that send requests.',
      tag: 'system',
      tagged: 'read',
      types: ['text/html'],
    },
  }),
  route({
    ...PUBLIC_GET,
    path: '/docs/:page',
    params: z.object({ page: PageName }),
    handle: ({ params }) => {
      const page = find(params.page)
      if (page === null) throw new Refusal('no_route')
      return { status: 200, ...page }
    },
    documentation: {
      id: 'getDocsPage',
      refusals: ['no_route'],
      summary: 'A page of the documentation',
      description: 'A guide, a decision or a file of the policy, by its name. `guides` lists all of them.',
      tag: 'system',
      tagged: 'read',
      types: ['text/html', 'image/svg+xml'],
    },
  }),
]
