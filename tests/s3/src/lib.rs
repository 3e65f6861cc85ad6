//! A server on loopback that speaks the protocol of S3, keeps its objects in a temporary directory, notes what it is
//! asked, and breaks where a test wants it to.
//!
//! The protocol and the objects are the crates s3s and s3s-fs. What is added: requests that are done at once, as S3 does
//! them, because s3s-fs checks a condition and then writes, and reads bytes and then their ETag; the log; the faults.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::Frame;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{BackoffConfig, RetryConfig};
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use tokio::net::TcpListener;

const BUCKET: &str = "bucket";

/// What happens to a request instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not done, and 503 is said.
    Refused,
    /// It is not done, and the connection ends.
    Reset,
    /// It is done, and 500 is said.
    DoneAndRefused,
    /// It is done, and the connection ends.
    DoneAndReset,
    /// Half of the answer comes, and the connection ends.
    Half,
}

/// A request that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// The range that it asked for.
    pub range: Option<String>,
}

type Which = fn(&Asked) -> bool;

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    /// To which requests, what, and how many times yet.
    faults: Vec<(Which, Fault, usize)>,
}

/// A running server; it ends with the runtime that it was started on.
pub struct Server {
    endpoint: String,
    state: Arc<Mutex<State>>,
    root: tempfile::TempDir,
}

impl Server {
    /// Starts one with an empty bucket.
    pub async fn start() -> Server {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("key", "secret"));
        let service = Serving { s3: service.build(), state: Arc::default(), one: Arc::default() };
        let state = service.state.clone();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                let answer = service_fn(move |request| service.clone().answer(request));
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), answer));
            }
        });
        Server { endpoint, state, root }
    }

    /// A client of the bucket that does not wait long before it asks again.
    pub fn store(&self) -> AmazonS3 {
        // The second time it is there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let backoff =
            BackoffConfig { init_backoff: Duration::from_millis(2), max_backoff: Duration::from_millis(20), base: 2.0 };
        AmazonS3Builder::new()
            .with_endpoint(&self.endpoint)
            .with_allow_http(true)
            .with_bucket_name(BUCKET)
            .with_region("us-east-1")
            .with_access_key_id("key")
            .with_secret_access_key("secret")
            .with_retry(RetryConfig { backoff, max_retries: 4, retry_timeout: Duration::from_secs(20) })
            .build()
            .unwrap()
    }

    /// The next `times` requests that are like this meet a fault.
    pub fn fault(&self, which: Which, fault: Fault, times: usize) {
        self.state.lock().unwrap().faults.push((which, fault, times));
    }

    /// How many faults have not happened, which then will not.
    pub fn forget_faults(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().faults).into_iter().map(|(_, _, times)| times).sum()
    }

    /// What was asked since this was last called.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }

    /// The files of the bucket, in order, by their paths in it.
    pub fn objects(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.path().join(BUCKET)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.root.path().join(BUCKET)).unwrap();
                    found.push(name.to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// How many parts of uploads lie there that were not completed.
    pub fn loose_parts(&self) -> usize {
        let names = std::fs::read_dir(self.root.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains(".part-")).count()
    }
}

#[derive(Clone)]
struct Serving {
    s3: S3Service,
    state: Arc<Mutex<State>>,
    one: Arc<tokio::sync::Mutex<()>>,
}

impl Serving {
    async fn answer(self, request: Request<Incoming>) -> Result<Response<Body>, &'static str> {
        let asked = Asked {
            method: request.method().clone(),
            path: request.uri().to_string(),
            range: request.headers().get("range").map(|range| String::from_utf8_lossy(range.as_bytes()).into_owned()),
        };
        let fault = self.note(&asked);
        match fault {
            Some(Fault::Refused) => return Ok(status(StatusCode::SERVICE_UNAVAILABLE)),
            Some(Fault::Reset) => return Err("as asked"),
            _ => {}
        }
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(|_| "the client went away")?.to_bytes();
        let one = self.one.lock().await;
        let request = Request::from_parts(parts, Body::from(body));
        let answer = self.s3.call(request).await.map_err(|_| "the server failed")?;
        drop(one);
        match fault {
            Some(Fault::DoneAndRefused) => Ok(status(StatusCode::INTERNAL_SERVER_ERROR)),
            Some(Fault::DoneAndReset) => Err("as asked"),
            Some(Fault::Half) => {
                let (parts, body) = answer.into_parts();
                let body = body.collect().await.map_err(|_| "the server failed")?.to_bytes();
                let half = Some(body.slice(..body.len() / 2));
                Ok(Response::from_parts(parts, Body::http_body(Cut { half })))
            }
            _ => Ok(answer),
        }
    }

    fn note(&self, asked: &Asked) -> Option<Fault> {
        let mut state = self.state.lock().unwrap();
        state.asked.push(asked.clone());
        let met = state.faults.iter_mut().find(|(which, _, times)| *times > 0 && which(asked))?;
        met.2 -= 1;
        Some(met.1)
    }
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A body that ends too early.
struct Cut {
    half: Option<Bytes>,
}

impl http_body::Body for Cut {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(Some(match self.half.take() {
            Some(half) => Ok(Frame::data(half)),
            None => Err(std::io::ErrorKind::ConnectionReset.into()),
        }))
    }
}
