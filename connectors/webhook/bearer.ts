import { isAnyExpected, unbelieved, type SignatureStyle } from "./signature.ts";

const scheme = "bearer ";

/** `Authorization: Bearer <secret>`, which shows who posts, but says nothing about the body. */
export const bearer: SignatureStyle = {
  verify: ({ headers }, secrets) => {
    const { authorization = "" } = headers;
    // The name of a scheme may be written in any case (RFC 9110, section 11.1).
    if (authorization.slice(0, scheme.length).toLowerCase() !== scheme) {
      return unbelieved("no_signature");
    }
    const given = authorization.slice(scheme.length);
    const expected = secrets.map((secret) => secret.reveal());
    return isAnyExpected([given], expected) ? {} : unbelieved("bad_signature");
  },
  sign: (_unsigned, secret) => ({ authorization: `Bearer ${secret.reveal()}` }),
};
