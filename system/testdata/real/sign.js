// Signs and verifies as the libraries of other people do: node sign.js COMMAND ARGUMENT...
import { Webhook } from 'standardwebhooks';
import twilio from 'twilio';

const commands = {
  // The signature of a request with these fields, as JSON, at the address.
  twilio: (token, address, fields) => twilio.getExpectedTwilioSignature(token, address, JSON.parse(fields)),
  sign: (secret, id, seconds, body) => new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  // Fails unless the header, as JSON, signs the body.
  verify: (secret, header, body) => JSON.stringify(new Webhook(secret).verify(body, JSON.parse(header))),
};

const [command, ...rest] = process.argv.slice(2);
console.log(commands[command](...rest));
