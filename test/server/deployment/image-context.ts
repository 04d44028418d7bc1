import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

// Builds the image of a Dockerfile in folders, for machines without a container engine. Supports only the instructions
// of our Dockerfile and rejects all others, so that a new one is noticed.

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** The final stage of an image: its folder and its start command. */
export interface BuiltImage {
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

function parseDockerfile(text: string): readonly Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/)
      return { name, rest: words.join(' ') }
    })
}

/**
 * Copies the files that `.dockerignore` lets into the build context.
 *
 * @throws Error for a pattern other than a leading `*` and exceptions by path
 */
export function copyContext(project: string, context: string): void {
  const lines = readFileSync(join(project, '.dockerignore'), 'utf8').trim().split('\n')
  const [first, ...exceptions] = lines
  if (first !== '*') throw new Error('.dockerignore: expected * first')
  mkdirSync(context, { recursive: true })
  for (const line of exceptions) {
    const path = /^!([\w./-]+)$/.exec(line)?.[1]
    if (path === undefined) throw new Error(`.dockerignore: ${line} is not understood`)
    cpSync(join(project, path), join(context, path), { recursive: true })
  }
}

interface Stage {
  readonly root: string
  workdir: string
  env: Record<string, string>
  command: readonly string[]
}

type Step = (stage: Stage, rest: string, build: Build) => void

interface Build {
  readonly context: string
  readonly folder: string
  readonly stages: Map<string, Stage>
  current: Stage | null
}

/** These instructions do not change files. */
const WITHOUT_EFFECT = new Set(['ARG', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK'])

const STEPS: Readonly<Record<string, Step>> = {
  WORKDIR: (stage, rest) => {
    stage.workdir = rest
    mkdirSync(join(stage.root, rest), { recursive: true })
  },
  ENV: (stage, rest) => {
    for (const pair of rest.split(' ')) {
      const [name = '', value = ''] = pair.split('=')
      stage.env[name] = value
    }
  },
  COPY: copyFiles,
  RUN: (stage, rest) => {
    // Skipped: absolute paths and users exist only in containers, and no program depends on this step.
    if (rest === 'mkdir /data && chown node:node /data') return
    const cwd = join(stage.root, stage.workdir)
    const { status, stderr } = spawnSync('sh', ['-c', rest], { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`RUN ${rest} ended with ${status}:\n${stderr}`)
  },
  CMD: (stage, rest) => {
    stage.command = JSON.parse(rest) as readonly string[]
  },
}

function copyFiles(stage: Stage, rest: string, { context, stages }: Build): void {
  const words = rest.split(' ')
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const target = words.pop() ?? ''
  const source = from === undefined ? context : stages.get(from)?.root
  if (source === undefined) throw new Error(`COPY: there is no stage ${from}`)
  const into = target.endsWith('/')
  for (const word of words) {
    const to = join(stage.root, stage.workdir, target, into ? basename(word) : '')
    cpSync(join(source, word), to, { recursive: true, verbatimSymlinks: true })
  }
}

/** Builds all stages below a folder and returns the last. */
export function buildImage(project: string, folder: string): BuiltImage {
  const context = join(folder, 'context')
  copyContext(project, context)
  const build: Build = { context, folder, stages: new Map(), current: null }
  for (const { name, rest } of parseDockerfile(readFileSync(join(project, 'Dockerfile'), 'utf8'))) {
    runInstruction(build, name, rest)
  }
  if (build.current === null) throw new Error('Dockerfile: expected FROM')
  return build.current
}

function runInstruction(build: Build, name: string, rest: string): void {
  if (WITHOUT_EFFECT.has(name)) return
  if (name === 'FROM') {
    const alias = / AS (\w+)$/.exec(rest)?.[1] ?? 'final'
    const root = join(build.folder, alias)
    build.current = { root, workdir: '/', env: {}, command: [] }
    build.stages.set(alias, build.current)
    return
  }
  const step = STEPS[name]
  if (step === undefined || build.current === null) {
    throw new Error(`Dockerfile: ${name} is not understood`)
  }
  step(build.current, rest, build)
}
