import { parseArgs } from 'node:util'
import { MigrationError } from '@quire/migrate/migration-error'
import { CmsError, ConfigError, ExtensionError } from '../base/errors.ts'
import { SchemaError } from '../schema/schema-error.ts'
import { didYouMean } from '../base/near-miss.ts'
import { BUILD_COMMAND } from './project/build-command.ts'
import { INIT_COMMAND } from './init-command.ts'
import { SEED_COMMAND } from './seed-command.ts'
import { SERVER_COMMANDS } from './server-commands.ts'
import { CHECK_PROJECT_COMMAND } from './project/check-project-command.ts'
import {
  type Command,
  type CommandContext,
  type Installation,
  type OptionValues,
  type Report,
  UsageError,
} from './command.ts'
import { readVersion } from '../base/config/version.ts'
import { ADMIN_COMMANDS } from './admin-commands.ts'
import { APPLY_COMMAND } from './apply-command.ts'
import { CLIENT_COMMANDS } from './client-command.ts'
import { DOCTOR_COMMAND } from './doctor/doctor-command.ts'
import { EXPORT_COMMAND } from './export-command.ts'
import { helpOf, synopsisOf } from './help.ts'
import { IMPORT_COMMANDS } from './import-command.ts'
import { LOCALE_COMMANDS } from './locale-commands.ts'
import { LOG_COMMANDS, SEARCH_COMMANDS } from './log-commands.ts'
import { SCHEMA_COMMANDS } from './schema-commands.ts'
import { INTROSPECT_COMMAND } from './introspect/introspect-command.ts'
import { MAP_COMMAND } from './map-command.ts'
import { MEDIA_COMMANDS } from './media-commands.ts'
import { OPENAPI_COMMAND } from './openapi-command.ts'
import { ROLE_COMMANDS } from './role-commands.ts'
import { RULES_COMMANDS } from './rules-commands.ts'
import { SNAPSHOT_COMMAND } from './snapshot/snapshot-command.ts'
import { TOKEN_COMMANDS } from './token-commands.ts'
import { TYPES_COMMAND } from './project/types-command.ts'
import { USER_COMMANDS } from './user-commands.ts'
import { WEBHOOK_COMMANDS } from './webhook-commands.ts'

export interface CliOutput {
  out(text: string): void
  error(text: string): void
}

export interface OpenedContext extends CommandContext {
  close(): Promise<void>
}

export interface CliParts {
  readonly installation: Installation
  readonly openContext: (command: Pick<Command, 'continues'>) => Promise<OpenedContext>
}

const COMMANDS: readonly Command[] = [
  INIT_COMMAND,
  ...SERVER_COMMANDS,
  BUILD_COMMAND,
  TYPES_COMMAND,
  SEED_COMMAND,
  ...LOCALE_COMMANDS,
  ...TOKEN_COMMANDS,
  ...ROLE_COMMANDS,
  ...RULES_COMMANDS,
  ...USER_COMMANDS,
  ...ADMIN_COMMANDS,
  ...MEDIA_COMMANDS,
  ...IMPORT_COMMANDS,
  ...LOG_COMMANDS,
  ...SEARCH_COMMANDS,
  ...SCHEMA_COMMANDS,
  APPLY_COMMAND,
  EXPORT_COMMAND,
  SNAPSHOT_COMMAND,
  OPENAPI_COMMAND,
  ...CLIENT_COMMANDS,
  ...WEBHOOK_COMMANDS,
  DOCTOR_COMMAND,
  CHECK_PROJECT_COMMAND,
  INTROSPECT_COMMAND,
  MAP_COMMAND,
]

const COMMON_OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const DONE = 0
const FAILED = 1
const MISUSED = 2

interface Invocation {
  readonly command: Command
  readonly words: readonly string[]
  readonly options: OptionValues
}

/** Returns 0, 1 for a refused command or faults, 2 for an invalid command line. */
export async function runCli(
  words: readonly string[],
  parts: CliParts,
  given: CliOutput,
): Promise<number> {
  const output: CliOutput = {
    out: (text) => given.out(withoutControls(text)),
    error: (text) => given.error(withoutControls(text)),
  }
  try {
    const invocation = parseInvocation(words)
    if (typeof invocation === 'string') {
      output.out(invocation)
      return DONE
    }
    const { data, text, failed, warning } = await runInvocation(parts, invocation)
    output.out(invocation.options['json'] === true ? JSON.stringify(data, null, 2) : text)
    if (warning !== undefined) output.error(warning)
    return failed === true ? FAILED : DONE
  } catch (error) {
    return explain(error, output)
  }
}

/** Texts of content and files never reach the terminal as its commands. The escapes are those of JSON. */
function withoutControls(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n\t]/gu,
    (control) => `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

function explain(error: unknown, output: CliOutput): number {
  if (error instanceof UsageError) {
    output.error(error.message)
    return MISUSED
  }
  if (error instanceof CmsError) {
    output.error(describe(error))
    return FAILED
  }
  if (
    error instanceof ConfigError ||
    error instanceof SchemaError ||
    error instanceof ExtensionError ||
    error instanceof MigrationError
  ) {
    output.error(error.message)
    return FAILED
  }
  throw error
}

async function runInvocation(
  { installation, openContext }: CliParts,
  { command, words, options }: Invocation,
): Promise<Report> {
  if (command.needs === 'nothing') return command.run(installation, words, options)
  const context = await openContext(command)
  try {
    return await command.run(context, words, options)
  } finally {
    await context.close()
  }
}

function parseInvocation(words: readonly string[]): Invocation | string {
  const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const [noun = '--help', verb, ...rest] = asked
  const single = COMMANDS.find((command) => wordsOf(command).join(' ') === noun)
  const text = single === undefined ? textFor(noun, verb) : null
  if (text !== null) return text
  const command = single ?? findCommand(noun, verb)
  const { values, positionals } = parseWords(command, single === undefined ? rest : asked.slice(1))
  if (values['help'] === true) return helpOf(command)
  const { min, max } = command.words
  if (positionals.length < min || positionals.length > max) {
    throw new UsageError(`Usage: ${synopsisOf(command)}`)
  }
  return { command, words: positionals, options: values }
}

function textFor(noun: string, verb: string | undefined): string | null {
  if (HELP.has(noun)) return usage(COMMANDS)
  if (VERSION.has(noun)) return readVersion()
  const ofNoun = commandsOf(noun)
  return ofNoun.length > 0 && verb !== undefined && HELP.has(verb) ? usage(ofNoun) : null
}

function findCommand(noun: string, verb: string | undefined): Command {
  const ofNoun = commandsOf(noun)
  if (ofNoun.length > 0 && verb === undefined) {
    throw new UsageError(`Unknown command ${noun}; its commands are:\n${formatCommands(ofNoun)}`)
  }
  const command = ofNoun.find((one) => wordsOf(one)[1] === verb)
  if (command === undefined) throw unknownCommand(noun, verb)
  return command
}

function commandsOf(noun: string): readonly Command[] {
  return COMMANDS.filter((command) => wordsOf(command)[0] === noun)
}

const HELP: ReadonlySet<string> = new Set(['--help', '-h'])
const VERSION: ReadonlySet<string> = new Set(['--version', '-v', 'version'])

function wordsOf({ usage }: Command): readonly string[] {
  const [noun = '', verb = ''] = usage.split(' ')
  return /^[a-z][a-z-]*$/.test(verb) ? [noun, verb] : [noun]
}

function unknownCommand(noun: string, verb = ''): UsageError {
  const asked = `${noun} ${verb}`.trimEnd()
  const hint = didYouMean(
    asked,
    COMMANDS.map((command) => wordsOf(command).join(' ')),
  )
  return new UsageError(`Unknown command ${asked}${hint}; \`quire help\` lists all`)
}

function parseWords(
  command: Command,
  words: readonly string[],
): { values: OptionValues; positionals: readonly string[] } {
  try {
    return parseArgs({
      args: [...words],
      options: { ...command.options, ...COMMON_OPTIONS },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    if (!isParseError(error)) throw error
    const said = command.help === undefined ? `${error.message}. ` : ''
    throw new UsageError(`${said}Usage: ${synopsisOf(command)}`, { cause: error })
  }
}

/** https://nodejs.org/docs/latest-v20.x/api/errors.html#err_parse_args_invalid_option_value */
function isParseError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('ERR_PARSE_ARGS_')
  )
}

function describe(error: CmsError): string {
  const faults = error.details?.['errors']
  if (!Array.isArray(faults) || faults.length < 2) return error.message
  const messages = faults.map((fault: { readonly message: string }) => `  - ${fault.message}`)
  return [error.message, ...messages].join('\n')
}

function usage(commands: readonly Command[]): string {
  return [
    'Creates, serves and builds a project, manages locales, API tokens, roles, users, administrators, media, webhooks and the commit log, and imports content. Every command takes --json and --help.',
    formatCommands(commands),
  ].join('\n')
}

function formatCommands(commands: readonly Command[]): string {
  return commands.map(({ usage, summary }) => `  quire ${usage}\n      ${summary}`).join('\n')
}
