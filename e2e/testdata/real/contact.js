// A site with a contact form, made with Express: node contact.js PORT
const express = require('express');

const app = express();
app.use(express.urlencoded({ extended: true }));
app.get('/contact', (request, response) => {
  response.send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lamps</title></head>
<body><h1>Lamps</h1><p id="number">8 (495) 123-45-67</p><form method="post">
<input name="user[full_name]"><input name="user[phone_number]" type="tel"><input name="user[email]"><textarea name="user[message]"></textarea>
<button>Send</button></form></body></html>`);
});
app.post('/contact', (request, response) => {
  const { full_name, phone_number, message } = request.body.user;
  response.redirect(full_name && phone_number && message ? '/thanks' : '/contact');
});
app.get('/thanks', (request, response) => response.send('<!doctype html><title>Thanks</title><p>Thank you.'));
app.listen(Number(process.argv[2]), '127.0.0.1');
