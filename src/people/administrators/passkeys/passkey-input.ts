import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import Joi from 'joi'
import { shortText } from '../../access/input.ts'

/** Keys of post-quantum algorithms have several thousand bytes. */
const MAX_TEXT = 16_384

const base64url = (): Joi.StringSchema =>
  Joi.string()
    .max(MAX_TEXT)
    .pattern(/^[\w-]*$/)

const credential = (response: Joi.ObjectSchema): Joi.ObjectSchema =>
  Joi.object({
    id: base64url().max(1_364).required(),
    rawId: base64url().max(1_364).required(),
    type: Joi.valid('public-key').required(),
    response: response.required(),
    authenticatorAttachment: Joi.string().max(64),
    clientExtensionResults: Joi.object().unknown(true),
  })

const ADDED = credential(
  Joi.object({
    clientDataJSON: base64url().required(),
    attestationObject: base64url().required(),
    transports: Joi.array().items(Joi.string().max(64)).max(16),
    // Browsers extract these fields from the attestation. They are accepted and ignored.
    authenticatorData: base64url(),
    publicKey: base64url(),
    publicKeyAlgorithm: Joi.number(),
  }),
)

const SIGNED = credential(
  Joi.object({
    clientDataJSON: base64url().required(),
    authenticatorData: base64url().required(),
    signature: base64url().required(),
    userHandle: base64url(),
  }),
)

/** Requires the password if one is set, so that an open session is not enough to add a passkey. */
export const PASSKEY_WANTED = Joi.object<{ readonly currentPassword?: string }>({
  currentPassword: Joi.string().max(1_000),
})

export const NEW_PASSKEY = Joi.object<{
  readonly name: string
  readonly response: RegistrationResponseJSON
}>({ name: shortText().required(), response: ADDED.required() })

export const PASSKEY_CHANGE = Joi.object<{ readonly name: string }>({
  name: shortText().required(),
})

export const PASSKEY_SIGN_IN = Joi.object<{ readonly response: AuthenticationResponseJSON }>({
  response: SIGNED.required(),
})
