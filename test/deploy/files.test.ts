import { readFileSync, readdirSync } from 'node:fs'

import { expect } from 'chai'
import { validate } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Secret, Service } from 'kubernetes-models/v1'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'

import { PACKAGE_ROOT, SETTING_NAMES, readConfig } from '../../src/config.js'
import { startTestService, type TestService } from '../support/service.js'

const read = (path: string) => readFileSync(new URL(path, PACKAGE_ROOT), 'utf8')
const KUBERNETES = 'deploy/kubernetes/'

const Kind = z.looseObject({ apiVersion: z.string(), kind: z.string() })
const Probe = z.looseObject({ httpGet: z.looseObject({ path: z.string(), port: z.string() }) })
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })).default([]),
  securityContext: z.looseObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
  }),
  resources: z.looseObject({ requests: z.looseObject({}), limits: z.looseObject({ memory: z.string() }) }),
})
const Pods = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
        initContainers: z.array(Container).default([]),
        containers: z.array(Container),
      }),
    }),
  }),
})

/** Classes of the API's own schemas, which know every field. */
const MODELS = new Map<string, new (data?: object) => { validate(): void }>(
  Object.entries({ Deployment, Job, PodDisruptionBudget, Secret, Service }),
)

describe('the files of a deployment', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  const manifests = readdirSync(new URL(KUBERNETES, PACKAGE_ROOT)).flatMap((file) =>
    parseAllDocuments(read(`${KUBERNETES}${file}`), { merge: true, strict: true }).map((document) => ({
      file,
      errors: document.errors,
      value: Kind.parse(document.toJS()),
    })),
  )
  const pods = manifests
    .filter(({ value: { kind } }) => kind === 'Deployment' || kind === 'Job')
    .map(({ file, value }) => ({ file, pods: Pods.parse(value).spec.template.spec }))

  it('the image is built without a fault, of several stages, for a user without rights, with a health check', () => {
    const text = read('Dockerfile')
    expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).to.deep.equal([])
    const last = text.slice(text.lastIndexOf('\nFROM '))
    expect(text.match(/^FROM /gm)).to.have.length(2)
    expect(/^USER (\w+)$/m.exec(last)?.[1]).to.equal('node')
    expect(last).to.match(/^HEALTHCHECK /m)
    expect(service.routes.some(({ path }) => last.includes(`${path}\``))).to.equal(true)
    // what is copied is there, and what the program reads is copied
    for (const folder of ['dist', 'bin', 'migrations', 'policies', 'model.conf', 'package.json'])
      expect(last, folder).to.include(`/build/${folder}`)
  })

  it('every manifest is one that the Kubernetes API knows, field by field', () => {
    expect(manifests.map(({ value }) => value.kind).toSorted()).to.deep.equal([
      'Deployment',
      'Job',
      'PodDisruptionBudget',
      'Secret',
      'Secret',
      'Service',
    ])
    for (const { file, errors, value } of manifests) {
      expect(errors, file).to.deep.equal([])
      const Model = MODELS.get(value.kind)
      if (Model === undefined) throw new Error(`no schema for ${value.kind}`)
      expect(() => new Model(value).validate(), `${file}: ${value.kind}`).not.to.throw()
    }
    const [Model] = [...MODELS.values()]
    expect(
      () => Model && new Model({ metadata: { name: 'x' }, spec: { replicas: 'two' } }).validate(),
      'the check itself',
    ).to.throw()
  })

  it('pods run without privileges on a read-only root file system, and are probed where the service answers', () => {
    expect(pods).to.have.length(2)
    const paths = new Set(service.routes.map(({ path }) => path))
    for (const {
      file,
      pods: { containers, initContainers },
    } of pods) {
      for (const container of [...containers, ...initContainers]) {
        for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
          if (!(name in container)) continue
          const { path, port } = Probe.parse(container[name]).httpGet
          expect(paths, `${file}: ${name}`).to.include(path)
          expect(container.ports.map((each) => each.name)).to.include(port)
        }
      }
    }
    expect(
      pods.flatMap(({ pods: { containers } }) => containers).filter((container) => 'readinessProbe' in container),
    ).to.have.length(1)
  })

  it('every setting that they make is one that the program knows, with a value that it takes', () => {
    const Compose = z.looseObject({
      services: z.record(
        z.string(),
        z.looseObject({ build: z.string().optional(), environment: z.record(z.string(), z.string()).default({}) }),
      ),
    })
    const { services } = Compose.parse(parse(read('compose.yaml'), { merge: true }))
    const ours = Object.values(services).filter(({ build }) => build !== undefined)
    expect(ours).to.have.length(3)
    const environments = [
      ...ours.map(({ environment }) => environment),
      ...pods.flatMap(({ pods: { containers } }) =>
        containers.map(({ env }) =>
          Object.fromEntries(
            env.flatMap(({ name, value }) => [
              [name, value ?? (name === 'REDIS_URL' ? 'redis://x' : 'postgres://a:b@c/d')] as const,
            ]),
          ),
        ),
      ),
    ]
    expect(environments).to.have.length(5)
    for (const environment of environments) {
      for (const name of Object.keys(environment)) expect(SETTING_NAMES, name).to.include(name)
      expect(() => readConfig(environment), JSON.stringify(environment)).not.to.throw()
    }
  })

  it('the balancer knows every node of the compose file, and what is mounted is there', () => {
    const { services } = z
      .looseObject({ services: z.record(z.string(), z.looseObject({ volumes: z.array(z.string()).default([]) })) })
      .parse(parse(read('compose.yaml'), { merge: true }))
    const mounted = Object.values(services)
      .flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((path) => path.startsWith('./'))
    expect(mounted).to.have.length(2)
    for (const path of mounted) expect(read(path), path).not.to.equal('')
    const balanced = [
      ...read('deploy/compose/balancer.conf.template').matchAll(/^\s*server (\S+):3000 resolve;$/gm),
    ].map(([, name]) => name)
    expect(balanced).to.deep.equal(Object.keys(services).filter((name) => name.startsWith('node-')))
  })

  it('the version that the manifests run is the one of this package', () => {
    const { version } = z.looseObject({ version: z.string() }).parse(JSON.parse(read('package.json')))
    for (const {
      pods: { containers, initContainers },
    } of pods)
      for (const { image } of [...containers, ...initContainers]) expect(image).to.equal(`linkgate:${version}`)
  })
})
