namespace FastCgi.AspNetCore.Features;

/// <summary>The place of a known feature in its request's table, as <see cref="FeatureSlots"/> says.</summary>
internal enum FeatureSlot
{
    Unknown = -1,

    // What the server itself serves.
    Request,
    Response,
    ResponseBody,
    RequestBodyPipe,
    RequestBodyDetection,
    RequestLifetime,
    RequestIdentifier,
    Connection,
    BodyControl,
    MaxRequestBodySize,
    Endpoint,
    RouteValues,
    BadRequest,
    RequestTrailers,
    ServerVariables,
    FastCgi,
    ConnectionItems,
    ConnectionComplete,
    ConnectionEndPoint,
    ConnectionLifetime,
    ConnectionLifetimeNotification,
    MinRequestBodyDataRate,
    MinResponseDataRate,
    ConnectionSocket,

    // What it serves if the params, the endpoint or the metrics say so: looked at when first asked for.
    ConnectionMetricsTags,
    TlsConnection,
    TlsHandshake,
    Upgrade,

    // What the framework sets.
    Items,
    Query,
    Form,
    RequestCookies,
    ResponseCookies,
    ServiceProviders,
    Session,
    Authentication,
    AuthenticationPath,
    AuthenticateResult,
    Activity,
    MetricsTags,
    RequestTimeout,

    Count,
}
