import { parseArgs } from 'node:util'
import { CmsError, ConfigError, SchemaError } from '../errors.ts'
import { type Command, type CommandContext, type OptionValues, UsageError } from './command.ts'
import { IMPORT_COMMANDS } from './import-command.ts'
import { LOCALE_COMMANDS } from './locale-commands.ts'
import { MEDIA_COMMANDS } from './media-commands.ts'
import { ROLE_COMMANDS } from './role-commands.ts'
import { TOKEN_COMMANDS } from './token-commands.ts'

export interface CliOutput {
  out(text: string): void
  error(text: string): void
}

/** An opened deployment, which the command line closes when it is done. */
export interface OpenedContext extends CommandContext {
  close(): Promise<void>
}

const COMMANDS: readonly Command[] = [
  ...LOCALE_COMMANDS,
  ...TOKEN_COMMANDS,
  ...ROLE_COMMANDS,
  ...MEDIA_COMMANDS,
  ...IMPORT_COMMANDS,
]

/** Not among the commands: it works where nothing can be opened, see `doctor/run-doctor.ts`. */
const DOCTOR =
  '  quire doctor\n      look for what is wrong or slow: settings, database, indexes, storage'

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

/**
 * Runs one command line and returns the exit status: 0, 1 when the command is refused or finds faults, 2 when it
 * cannot be understood. The deployment is opened once the command line is known to be good.
 */
export async function runCli(
  words: readonly string[],
  openContext: () => Promise<OpenedContext>,
  output: CliOutput,
): Promise<number> {
  try {
    const invocation = parseInvocation(words)
    if (invocation === 'help') {
      output.out(usage())
      return DONE
    }
    const context = await openContext()
    try {
      const { text, failed } = await reportOf(context, invocation)
      output.out(text)
      return failed ? FAILED : DONE
    } finally {
      await context.close()
    }
  } catch (error) {
    return explain(error, output)
  }
}

/** Says what was wrong and returns the exit status; what is a bug is thrown on, with its stack. */
function explain(error: unknown, output: CliOutput): number {
  if (error instanceof UsageError) {
    output.error(error.message)
    return MISUSED
  }
  if (error instanceof CmsError) {
    output.error(describe(error))
    return FAILED
  }
  if (error instanceof ConfigError || error instanceof SchemaError) {
    output.error(error.message)
    return FAILED
  }
  throw error
}

async function reportOf(
  context: CommandContext,
  { command, words, options }: Invocation,
): Promise<{ readonly text: string; readonly failed: boolean }> {
  const { data, text, failed = false } = await command.run(context, words, options)
  return { text: options['json'] === true ? JSON.stringify(data, null, 2) : text, failed }
}

/** @throws UsageError */
function parseInvocation(words: readonly string[]): Invocation | 'help' {
  const [noun, verb, ...rest] = words
  if (noun === undefined || noun === 'help' || noun === '--help' || noun === '-h') return 'help'
  const command = COMMANDS.find(({ usage }) => {
    const [itsNoun, itsVerb] = usage.split(' ')
    return itsNoun === noun && itsVerb === verb
  })
  if (command === undefined) {
    throw new UsageError(
      `There is no command ${[noun, verb].join(' ').trimEnd()}; \`quire help\` lists them`,
    )
  }
  const { values, positionals } = parseWords(command, rest)
  if (values['help'] === true) return 'help'
  const { min, max } = command.words
  if (positionals.length < min || positionals.length > max) {
    throw new UsageError(`Use it as: quire ${command.usage}`)
  }
  return { command, words: positionals, options: values }
}

/** @throws UsageError for an option that the command does not have, or one without its value */
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
    throw new UsageError(`${error.message}. Use it as: quire ${command.usage}`, { cause: error })
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

/** The message, and each fault on a line of its own where there are several. */
function describe(error: CmsError): string {
  const faults = error.details?.['errors']
  if (!Array.isArray(faults) || faults.length < 2) return error.message
  const messages = faults.map((fault: { readonly message: string }) => `  - ${fault.message}`)
  return [error.message, ...messages].join('\n')
}

function usage(): string {
  const lines = COMMANDS.map(({ usage, summary }) => `  quire ${usage}\n      ${summary}`)
  return [
    'Manages locales, API tokens, roles and media, and imports content. Every command takes --json.',
    ...lines,
    DOCTOR,
  ].join('\n')
}
