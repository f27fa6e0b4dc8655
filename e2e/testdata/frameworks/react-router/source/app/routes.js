import { index, route } from "@react-router/dev/routes";

export default [index("routes/home.jsx"), ...["contacts", "constant", "parts"].map((page) => route(page, `routes/${page}.jsx`))];
