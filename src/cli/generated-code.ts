/**
 * Whether a source file of a project has no code of its own: it is empty, exports an empty object, has empty `register`
 * and `bootstrap` functions, or calls one of the factories of the reference with a uid alone.
 */
export function isGenerated(text: string): boolean {
  const code = withoutComments(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(){},;:]) ?/g, '$1')
    .trim()
    .replace(/^(?:'use strict'|"use strict");?/, '')
    .replace(FACTORY_IMPORT, '')
    .trim()
  return code === '' || FACTORY_CALL.test(code) || EMPTY_EXPORT.test(code)
}

const UID = String.raw`(?:'[\w:.-]+'|"[\w:.-]+")`
const PACKAGE = String.raw`(?:'@strapi/strapi'|"@strapi/strapi")`
const NAMES = String.raw`\{(?:factories|createCore\w+),?\}`

const FACTORY_IMPORT = new RegExp(
  `^(?:import${NAMES}from ${PACKAGE};?|const${NAMES}= require\\(${PACKAGE}\\)(?:\\.factories)?;?) ?(?:const${NAMES}= factories;?)?`,
)
const FACTORY_CALL = new RegExp(
  String.raw`^(?:export default|module\.exports =) (?:factories\.)?createCore(?:Controller|Service|Router)\(${UID},?\);?$`,
)
const EMPTY_EXPORT =
  /^(?:export default|module\.exports =) ?\{(?:(?:async )?(?:register|bootstrap|destroy)\([^()]*\)\{\},?)*\};?$/

/** Replaces comments by spaces. Strings are kept, because they may contain `//`. */
function withoutComments(text: string): string {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
  return text.replaceAll(tokens, (token) => (token.startsWith('/') ? ' ' : token))
}
