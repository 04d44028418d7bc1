#!/usr/bin/env node
// `npm create @quire my-cms`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Answers, askQuestions } from './ask-questions.ts'
import { planProject } from './plan-project.ts'
import { explainName, nameOfFolder } from './project-options.ts'
import { writeMissing } from './write-missing.ts'

const USAGE = `Usage: npm create @quire [folder] -- [options]

  Creates a project for Quire in a new or empty folder, and installs its packages.

  --yes           asks nothing: TypeScript, with sample content
  --empty         without sample content
  --javascript    JavaScript instead of TypeScript
  --no-install    does not install the packages
`

class CreateError extends Error {}

async function create(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args)
  if (values.help === true) {
    process.stdout.write(USAGE)
    return
  }
  const [given, ...others] = positionals
  if (others.length > 0) throw new CreateError(`One folder only\n\n${USAGE}`)
  const answers = await answersFor(given, values)
  const folder = resolve(given ?? answers.name)
  await refuseFiles(folder)
  const version = await readVersion()
  const files = await planProject({ ...answers, version, platform: process.platform })
  const { written } = await writeMissing(folder, files)
  process.stdout.write(`Created ${answers.name} with ${written.length} files\n`)
  if (values['no-install'] !== true) await install(folder)
  process.stdout.write(nextSteps(folder, answers, values['no-install'] === true))
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        yes: { type: 'boolean', short: 'y' },
        empty: { type: 'boolean' },
        javascript: { type: 'boolean' },
        'no-install': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new CreateError(`${error instanceof Error ? error.message : ''}\n\n${USAGE}`)
  }
}

interface Choices {
  readonly yes?: boolean | undefined
  readonly empty?: boolean | undefined
  readonly javascript?: boolean | undefined
}

async function answersFor(folder: string | undefined, choices: Choices): Promise<Answers> {
  const name = nameOfFolder(basename(resolve(folder ?? 'my-cms')))
  const defaults: Answers = {
    name,
    sample: choices.empty !== true,
    language: choices.javascript === true ? 'javascript' : 'typescript',
  }
  if (choices.yes === true) return defaults
  if (!process.stdin.isTTY) throw new CreateError('Without a terminal, --yes is required')
  const given: Partial<Answers> = {
    ...(folder !== undefined && explainName(name) === null ? { name } : {}),
    ...(choices.empty === true ? { sample: false } : {}),
    ...(choices.javascript === true ? { language: 'javascript' as const } : {}),
  }
  return askQuestions(given, defaults)
}

/** A folder of a version control system counts as empty. */
async function refuseFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.some((name) => name !== '.git')) {
    throw new CreateError(
      `${folder} is not empty; \`npx @quire/server init\` adds Quire to an existing project`,
    )
  }
}

async function readVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(await readFile(file, 'utf8')) as { readonly version: string }).version
}

async function install(folder: string): Promise<void> {
  process.stdout.write('Installs the packages with npm\n')
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32', // npm is a script there
  })
  const [status] = (await once(npm, 'exit')) as [number | null]
  if (status !== 0) throw new CreateError(`npm install failed; run it in ${folder}`)
}

function nextSteps(folder: string, { sample }: Answers, isBare: boolean): string {
  const steps = [
    `cd ${relative(process.cwd(), folder)}`,
    ...(isBare ? ['npm install'] : []),
    'npm run dev      # starts the server on http://localhost:1337',
    ...(sample ? ['npm run seed     # in a second terminal: stores the sample content'] : []),
  ]
  return `\nNext:\n\n${steps.map((step) => `  ${step}\n`).join('')}`
}

try {
  await create(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CreateError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
