/** An empty file or object, empty `register` and `bootstrap`, or a factory of the reference without own code. */
export function isGenerated(text: string): boolean {
  const code = withoutComments(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(){},;:]) ?/g, '$1')
    .replaceAll(' =>', '=>')
    .trim()
    .replace(/^(?:'use strict'|"use strict");?/, '')
    .replace(FACTORY_IMPORT, '')
    .trim()
  return code === '' || FACTORY_CALL.test(code) || EMPTY_EXPORT.test(code)
}

const UID = String.raw`(?:'[\w:.-]+'|"[\w:.-]+")`
const EMPTY = String.raw`(?:\{\}|\((?:\{strapi\}(?::[\w.{}: ]+)?)?\)=> ?\(\{\}\))`
const PACKAGE = String.raw`(?:'@strapi/strapi'|"@strapi/strapi")`
const NAMES = String.raw`\{(?:factories|createCore\w+),?\}`

const FACTORY_IMPORT = new RegExp(
  `^(?:import${NAMES}from ${PACKAGE};?|const${NAMES}= require\\(${PACKAGE}\\)(?:\\.factories)?;?) ?(?:const${NAMES}= factories;?)?`,
)
const FACTORY_CALL = new RegExp(
  String.raw`^(?:export default|module\.exports =) (?:factories\.)?createCore(?:Controller|Service|Router)\(${UID}(?:,${EMPTY})?,?\)(?: as any)?;?$`,
)
const EMPTY_EXPORT =
  /^(?:export default|module\.exports =) ?\{(?:(?:async )?(?:register|bootstrap|destroy)\([^()]*\)\{\},?)*\};?$/

/** Replaces comments by spaces. Strings are kept, because they may contain `//`. */
export function withoutComments(text: string): string {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
  return text.replaceAll(tokens, (token) => (token.startsWith('/') ? ' ' : token))
}
