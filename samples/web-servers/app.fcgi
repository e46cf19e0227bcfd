#!/bin/sh
# Starts the application for a web server that starts it itself (mod_fcgid, lighttpd's bin-path). The environment is
# nearly empty: what the application needs is set here. This file must be executable. "exec" matters: the process that
# the web server ends must be the application.
export DOTNET_NOLOGO=1
export ASPNETCORE_ENVIRONMENT=Production
exec /usr/bin/dotnet /srv/app/App.dll
