# Caddy with Frontdesk. From the root of the repository:
#
#	docker build --file xcaddy.Dockerfile --tag frontdesk .
#	docker run -p 80:80 -p 443:443 -v frontdesk:/data -v ./Caddyfile:/etc/caddy/Caddyfile frontdesk
FROM golang:1.26-alpine AS builder
RUN apk add --no-cache libcap-setcap
RUN go install github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5
WORKDIR /src
COPY . .
ENV CGO_ENABLED=0
# The checkout stands in for the module, whose version is then only a name.
RUN xcaddy build v2.11.9 --output /usr/bin/caddy --with github.com/seed-3405227d/frontdesk@v0.0.0=. \
	&& setcap cap_net_bind_service=+ep /usr/bin/caddy

FROM alpine:3.22
RUN apk add --no-cache ca-certificates \
	&& adduser -D -H -u 1000 -h /data caddy \
	&& mkdir -p /data /config /etc/caddy \
	&& chown caddy:caddy /data /config
COPY --from=builder /usr/bin/caddy /usr/bin/caddy
# Certificates and, unless configured otherwise, the database are in /data/caddy;
# the configuration as it last ran is in /config/caddy.
ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config
VOLUME /data /config
EXPOSE 80 443 443/udp
USER caddy
WORKDIR /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
	CMD wget -q -O /dev/null http://127.0.0.1:2019/frontdesk/health
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
