using FsCheck;
using FsCheck.Fluent;

namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>What holds for any input. The seed is fixed, so that a failure is a failure every time.</summary>
public class CgiProperties
{
    private static readonly Config _config = Config.QuickThrowOnFailure.WithMaxTest(1000).WithReplay(20260101, 1);

    private static readonly string[] _names =
        [.. Enumerable.Range(1, ParamNames.ParamCount - 1).Select(
                static number => Encoding.ASCII.GetString(ParamNames.NameOf((KnownParam)number))),
            "REQUEST_METHOD", "REQUEST_URI", "QUERY_STRING", "SCRIPT_NAME", "PATH_INFO", "HTTP_HOST", "SERVER_NAME",
            "SERVER_PORT", "REMOTE_ADDR", "CONTENT_LENGTH", "SSL_CLIENT_CERT", "ASPNETCORE_PATHBASE", "HTTP_COOKIE",
            "HTTP_X"];

    [Fact]
    public void No_params_make_anything_throw() =>
        Prop.ForAll<(byte, byte[])[], byte[]>((@params, unknownName) =>
        {
            var request = new CgiRequest(new FastCgiServerOptions
            {
                ClientCertificateParameter = "SSL_CLIENT_CERT",
                PathBaseFromScriptName = true,
            });
            new EncodedParams([
                ("REQUEST_METHOD"u8.ToArray(), "GET"u8.ToArray()), ("REQUEST_URI"u8.ToArray(), "/"u8.ToArray()),
                (unknownName, unknownName), ([.. "HTTP_"u8, .. unknownName], "v"u8.ToArray()),
                .. @params.Select(param => (Encoding.ASCII.GetBytes(_names[param.Item1 % _names.Length]), param.Item2)),
            ]).AddTo(request.Params);

            if (request.Load() is { } rejection)
            {
                Assert.InRange(rejection.StatusCode, 400, 501);
                Assert.DoesNotContain(request.DescribeRejection(rejection), char.IsControl);
            }
            else
            {
                Assert.DoesNotContain('\0', request.Path);
                Assert.True(request.Path.Length == 0 || request.Path[0] == '/');
                Assert.True(request.QueryString.Length == 0 || request.QueryString[0] == '?');
                Assert.DoesNotContain(request.RawTarget, character => character is '\r' or '\n' or '\0' or '#');
            }

            _ = request.Host + request.Scheme + request.Params.GetString(KnownParam.RemoteUser) + request.TlsCipherSuite + request.HostLostItsPort;
            _ = (request.RemoteIpAddress, request.LocalIpAddress, request.RemotePort, request.LocalPort);
            request.ReadClientCertificate(out _)?.Dispose();
            foreach (var header in request.Headers)
            {
                Assert.Equal(-1, HeaderValidation.IndexOfNonToken(header.Key));
            }

            foreach (var name in _names)
            {
                _ = request.Params.GetServerVariable(name);
            }

            request.Reset();
        }).Check(_config);

    [Fact]
    public void A_header_name_survives_the_way_through_CGI() =>
        Prop.ForAll(
            Gen.Elements("abcXYZ019-".ToCharArray()).NonEmptyListOf()
                .Select(name => new string([.. name])).ToArbitrary(),
            name =>
            {
                var cgiName = name.ToUpperInvariant().Replace('-', '_');
                var restored = HeaderNameText.Restore(Encoding.ASCII.GetBytes(cgiName));

                Assert.Equal(name, restored, ignoreCase: true);
                Assert.True(HeaderNameText.Matches(name, Encoding.ASCII.GetBytes(cgiName)));
                var headers = ParamSet.With(("HTTP_" + cgiName, "v")).Headers;
                var isKnown = ParamNames.TryGetParam(name, out _);
                Assert.True(isKnown || headers[name] == "v");
                Assert.True(isKnown || headers.Single().Key.Equals(name, StringComparison.OrdinalIgnoreCase));
            }).Check(_config);

    [Fact]
    public void A_decoded_path_survives_its_escaping() =>
        Prop.ForAll<NonNull<string>>(text =>
        {
            // Lone surrogates are no text, and a NUL is refused.
            var path = "/x" + Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text.Get))
                .Replace('\0', '-').Replace('/', '-');
            var request = ParamSet.With(("REQUEST_URI", ""), ("SCRIPT_NAME", ParamSet.Utf8(path)));

            Assert.Equal(path, request.Path);
            Assert.All(request.RawTarget, character => Assert.InRange(character, '!', '~'));
        }).Check(_config);

    [Fact]
    public void No_dictionary_brings_a_broken_line_into_the_head() =>
        Prop.ForAll<(NonNull<string>, string[])[], int, string>((headers, status, reason) =>
        {
            var foreign = new HeaderDictionary();
            foreach (var (name, lines) in headers)
            {
                foreign[name.Get] = new StringValues(lines);
            }

            var head = new ResponseHead { StatusCode = status, ReasonPhrase = reason, Headers = foreign };
            var destination = new byte[10_000];
            try
            {
                Assert.True(ResponseHeadWriter.TryWrite(destination, head, out var written, out _));
                var text = Encoding.Latin1.GetString(destination, 0, written);
                Assert.EndsWith("\r\n\r\n", text, StringComparison.Ordinal);
                Assert.All(text[..^4].Split("\r\n"), line =>
                {
                    Assert.True(line.IndexOf(": ", StringComparison.Ordinal) > 0);
                    Assert.DoesNotContain(line, character => char.IsControl(character) && character != '\t');
                });
            }
            catch (InvalidOperationException)
            {
                // Refused: that is the other good outcome.
            }
        }).Check(_config);
}
